"""Once for the process that serves everybody; importing it is all.

Both packages are loaded here, whole and before anything of them: a class that opens a server just started runs its
pages in many threads at once, and one thread inside a package would wait for another at one of its modules while that
one waits for it. Python then gives up one of the two.

What is loaded stays, so the garbage collector need not look through it again and again: each of its looks through
everything takes 50 ms of everybody's time and not 150.

A session takes four open files of Streamlit's or more, and many hosts let a process open 1,024: it takes what it may.
"""

import contextlib
import gc

import kernels_ref  # noqa: F401
import pebble_engine  # noqa: F401

FILES = 2**16

gc.collect()
gc.freeze()

with contextlib.suppress(ImportError, OSError, ValueError):  # Windows and a browser know no such limit
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = FILES if hard == resource.RLIM_INFINITY else min(hard, FILES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, allowed), hard))
