"""Where Python runs: on a server, or in the visitor's own browser (`deploy/static.py`).

In a browser there is one thread and no process. Work apart is then done on the spot (`pages.shared.apart`), and what
would take minutes there is not offered.
"""

import sys

IN_BROWSER = sys.platform == "emscripten"
