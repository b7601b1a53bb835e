"""Two servers of the app behind nginx on this machine, as `compose.yaml` has them, without containers.

python deploy/on_loopback.py [--port 8080]        until Ctrl-C; prints the addresses and process ids
"""

import argparse
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def configuration(folder: Path, port: int, servers: list[int]) -> str:
    """The example's configuration with ports of this machine, inside the frame that a container's image has."""
    site = (HERE / "nginx.conf").read_text(encoding="utf-8").replace("listen 80;", f"listen 127.0.0.1:{port};")
    for number, server in enumerate(servers, 1):
        site = site.replace(f"app-{number}:8501", f"127.0.0.1:{server}")
    temporary = "\n".join(f"    {name}_temp_path {folder}/{name};" for name in ("client_body", "proxy"))
    return (
        f"pid {folder}/nginx.pid;\ndaemon off;\nevents {{}}\n"
        f"http {{\n    access_log off;\n    include /etc/nginx/mime.types;\n{temporary}\n{site}\n}}\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=8080)
    port = parser.parse_args().port
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if nginx is None:
        sys.exit("nginx is needed (Debian: apt-get install nginx-light)")
    servers = [free_port(), free_port()]
    app = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true", "--server.address=127.0.0.1"]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "nginx.conf"
        file.write_text(configuration(folder, port, servers), encoding="utf-8")
        commands = [[*app, f"--server.port={server}"] for server in servers]
        commands.append([nginx, "-e", "stderr", "-c", os.fspath(file)])
        running = [subprocess.Popen(command, cwd=HERE.parent) for command in commands]
        try:
            print(f"http://127.0.0.1:{port}", *(process.pid for process in running), flush=True)
            running[-1].wait()
        finally:
            for process in running:
                process.terminate()
            for process in running:
                process.wait()


if __name__ == "__main__":
    main()
