"""What every API of the dashboard uses: parameters, answers, errors, entity tags, frames. The room below all apps.

Any app may import it; it imports none of them.
"""
