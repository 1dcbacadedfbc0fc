"""What Domain Access costs, beside its peers and beside what cannot be avoided, in one run (DESIGN 9).

    python -m tests.bench [ROW ...] [--json FILE] [--quick] [--stages]

measure.py     contenders take turns, round by round; figures and ratios of them
worlds.py      the worlds and the questions asked in them
verdicts.py    a verdict with its Reason
rights.py      the rights question alone, in three engines       peers.py   cedarpy and regorus
situations.py  what a request fetches of a World, small and large
http.py        a turn over HTTP against an echo                   echo.py    that echo
mcp.py         a call over MCP against the SDK's empty tool
turns.py       durable turns from many threads
commitments.py commitment turns through the whole service
loading.py     packs, worlds, and a server that is ready
exchanges.py   messages read and written
grounding.py   words grounded with their clues: coverage against precision
conformance.py messages checked, beside JSON Schema validators
stages.py      where the time of a verdict goes
processes.py   processes started for a measurement        report.py  tables and JSON

Nothing here asserts an absolute time: machines differ. What is asserted is that contenders give the same answers.
"""
