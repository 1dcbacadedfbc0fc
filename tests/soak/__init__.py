"""Servers that are killed, and what must be true afterwards.

    points.py    the places in a server at which it is killed
    server.py    a real server, in a process of its own, that kills itself at one of them
    kills.py     a Scenario under kills: serve, talk until the server is gone, check, again
    turns.py     the Scenario of dialogues: what was answered is there, whole and once

`python -m tests.soak [KILLS]` runs every Scenario in every database; SCENARIOS is the table to which one is added.
"""
