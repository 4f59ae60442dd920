"""The mock server, with replies to the prompts of every library; prints its url."""

import asyncio

import oracle
import replies
from mock_server import MockServer, serve


def own(prompt: str) -> str | None:
    """The right reply to a prompt of Thresher's."""
    return oracle.reply(prompt) if "stands between tags" in prompt else None


asyncio.run(serve(MockServer(replies=[own, replies.reply]), 0))
