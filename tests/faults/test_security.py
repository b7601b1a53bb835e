"""A running server keeps to its own pages: other origins, uploads without a token, messages that would write files."""

import asyncio
import re
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.server import Server, running_server

LIMIT = 5_000_000  # bytes of a message: server.maxWidgetStateSize
BOUNDARY = "x--x"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_server(tmp_path_factory.mktemp("server")) as running:
        yield running


def stream(server: Server, origin: str | None) -> connect:
    address = server.url.replace("http", "ws", 1) + "/_stcore/stream"
    return connect(address, origin=origin, subprotocols=["streamlit"], max_size=None)  # type: ignore[arg-type, list-item]


async def answer(socket: ClientConnection, kind: str) -> ForwardMsg:
    """The next message of a kind."""
    async with asyncio.timeout(30):
        while True:
            message = ForwardMsg.FromString(await socket.recv(decode=False))
            if message.WhichOneof("type") == kind:
                return message


async def opened(socket: ClientConnection) -> str:
    """Ask for a page; the session's id."""
    message = BackMsg()
    message.rerun_script.query_string = ""
    await socket.send(message.SerializeToString())
    started = await answer(socket, "new_session")
    await answer(socket, "script_finished")
    return started.new_session.initialize.session_id


@pytest.mark.parametrize("origin", ["http://example.org", "http://127.0.0.1.example.org", "null"])
def test_a_page_of_somebody_else_opens_no_session(server: Server, origin: str) -> None:
    async def knock() -> None:
        async with stream(server, origin):
            pass

    with pytest.raises(InvalidStatus) as refused:
        asyncio.run(knock())
    assert refused.value.response.status_code == 403


def test_a_page_of_ours_does(server: Server) -> None:
    async def visit() -> str:
        async with stream(server, server.url) as socket:
            return await opened(socket)

    assert asyncio.run(visit())


def put(url: str, headers: dict[str, str]) -> int:
    """The status of an upload of three bytes."""
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="f"; filename="../../x.txt"\r\n\r\n'
    body = f"{head}abc\r\n--{BOUNDARY}--\r\n".encode()
    headers = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"} | headers
    request = urllib.request.Request(url, data=body, headers=headers, method="PUT")
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return int(response.status)
    except urllib.error.HTTPError as refused:
        return refused.code


def test_an_upload_needs_a_session_and_the_token_of_a_page(server: Server) -> None:
    with urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=30) as response:
        (cookie,) = [one for one in response.headers.get_all("Set-Cookie") if one.startswith("_streamlit_xsrf=")]
    cookie = cookie.partition(";")[0]
    token = {"Cookie": cookie, "X-Xsrftoken": cookie.partition("=")[2]}

    async def visit() -> tuple[int, ...]:
        async with stream(server, server.url) as socket:
            session = await opened(socket)
            url = f"{server.url}/_stcore/upload_file/{session}/one"
            tries = (url, {}), (url, {"Cookie": cookie}), (url, token), (url.replace(session, "nobody"), token)
            return tuple([await asyncio.to_thread(put, *each) for each in tries])

    assert asyncio.run(visit()) == (403, 403, 204, 400)


def test_no_message_makes_streamlit_write_files(server: Server) -> None:
    async def ask() -> ForwardMsg:
        async with stream(server, server.url) as socket:
            message = BackMsg()
            request = message.backend_operation_request
            request.session_id = await opened(socket)
            request.install_skills.SetInParent()
            await socket.send(message.SerializeToString())
            return await answer(socket, "backend_operation_response")

    response = asyncio.run(ask()).backend_operation_response
    assert re.search("refused.*headless", response.error_reason)


@pytest.mark.parametrize(("size", "taken"), [(LIMIT - 1_000, True), (LIMIT + 1_000, False)])
def test_a_message_has_a_limit(server: Server, size: int, taken: bool) -> None:
    async def send() -> None:
        async with stream(server, server.url) as socket:
            await opened(socket)
            message = BackMsg()
            message.rerun_script.widget_states.widgets.add(id="x", string_value="x" * size)
            await socket.send(message.SerializeToString())
            await answer(socket, "script_finished")

    if taken:
        asyncio.run(send())
    else:
        with pytest.raises(ConnectionClosed) as closed:
            asyncio.run(send())
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009
