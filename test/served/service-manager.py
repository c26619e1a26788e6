"""A service manager with three sockets, as systemd has: starts a server for each line on its input, hands the sockets over, and
prints lines of JSON. The server prints its own lines between them. The end of the input ends the server."""
import json, os, socket, subprocess, sys, threading


def listening():
    one = socket.socket()
    one.bind(("127.0.0.1", 0))
    one.listen(64)
    return one


def say(**event):
    sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()


http, smtp, redirect = all = [listening() for _ in range(3)]
inodes = [os.fstat(one.fileno()).st_ino for one in all]
say(http=http.getsockname()[1], smtp=smtp.getsockname()[1], redirect=redirect.getsockname()[1], inodes=inodes)
# Beyond the numbers that the sockets are handed over as, so that neither overwrites the other.
high = [os.dup2(one.fileno(), 30 + number, inheritable=True) for number, one in enumerate(all)]
COMMAND = 'exec 3<&30 4<&31 5<&32 30<&- 31<&- 32<&-; export LISTEN_PID=$$; exec "$@"'
os.environ.update(LISTEN_FDS="3", LISTEN_FDNAMES="http:smtp:redirect")


def wait(server):
    say(exit=server.wait())


server = None
for _ in sys.stdin:
    server = subprocess.Popen(["/bin/bash", "-c", COMMAND, "bash", *sys.argv[1:]], pass_fds=high, stdin=subprocess.DEVNULL)
    say(pid=server.pid)
    threading.Thread(target=wait, args=(server,), daemon=True).start()
if server is not None:
    server.kill()
