"""`python -m cleveragents` is `agents`."""

from cleveragents.cli.main import main

if __name__ == "__main__":
    main()
