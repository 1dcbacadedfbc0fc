"""`python -m app` is the command `domain-access`."""

from app.cli import main

if __name__ == "__main__":
    main()
