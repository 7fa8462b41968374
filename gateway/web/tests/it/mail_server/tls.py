"""A mail server with TLS and AUTH. It prints its port, and then what it sees, each as a line of JSON."""

import asyncio
import json
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

mode, certificate, key = sys.argv[1:]
LOGIN = LoginPassword(b"fleet", b"p@ss/word")


def report(**event):
    print(json.dumps(event), flush=True)


def authenticate(server, session, envelope, mechanism, login):
    # Not handled: the server itself answers 235 or 535.
    return AuthResult(success=login == LOGIN, handled=False)


class Handler:
    async def handle_RCPT(self, server, session, envelope, address, options):
        report(recipient=address)
        if address.startswith("nobody"):
            return f"550 5.1.1 <{address}>: no such mailbox"
        if address.startswith("later"):
            return "451 4.7.1 Greylisted"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        tls = server.transport.get_extra_info("ssl_object") is not None
        mail = envelope.original_content.decode("ascii")
        report(mail=mail, is_safe=tls and session.authenticated)
        return "250 OK"


async def main():
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    options = {"authenticator": authenticate, "auth_required": True, "hostname": "localhost"}
    if mode == "starttls":
        options |= {"tls_context": context, "require_starttls": True}
    else:
        # It does not know that its connections have TLS.
        options |= {"auth_require_tls": False}

    def connect():
        report(connection=True)
        return SMTP(Handler(), **options)

    loop = asyncio.get_running_loop()
    tls = None if mode == "starttls" else context
    server = await loop.create_server(connect, "127.0.0.1", 0, ssl=tls)
    report(port=server.sockets[0].getsockname()[1])
    await server.serve_forever()


asyncio.run(main())
