#!/usr/bin/env python3
"""docs/howto/install.md, followed as root: each block of commands as it is printed. `python3 tests/following.py`.

So are the commands of docs/howto/operate.md.

It installs gamed on the machine that it runs on, so use one that can be thrown away. Where systemd does not run, this
file takes the place of its commands: `systemctl` starts and stops the program of the installed unit as a user `gamed`,
and `systemd-run` runs what it is given as that user. The units themselves are then only verified.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "howto" / "install.md"
OPERATE = PAGE.with_name("operate.md")
UNIT = Path("/usr/local/lib/systemd/system/gamed.service")
DROP_INS = Path("/etc/systemd/system/gamed.service.d")
STATE = Path("/var/lib/gamed")
CREDENTIALS = Path("/run/gamed.credentials")
PID = Path("/run/gamed.pid")
LOG = Path("/var/log/gamed.log")
SYSTEM = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""Where an administrator's commands are: a Python in root's home would be no use to the service."""


def sections(page: Path) -> dict[str, list[str]]:
    """Return the blocks of commands below each heading of a page."""
    parts = re.split(r"^## (.+)\n", page.read_text(), flags=re.MULTILINE)[1:]
    found = [re.findall(r"^```sh\n(.*?)^```$", part, re.DOTALL | re.MULTILINE) for part in parts[1::2]]
    return dict(zip(parts[::2], found, strict=True))


def follow(block: str, directory: Path, *, may_fail: bool = False) -> str:
    """Run a block as it is printed, and return its output; exit if a command fails.

    `may_fail`: a status of 1 or 2 is right, for example because there is no such game; that something is forbidden is
    not.
    """
    print(f"\n--- {time.strftime('%X')}\n{block}", end="", flush=True)
    # The commands ask for a password. From a file, each command that reads /dev/stdin can read it again.
    with tempfile.TemporaryFile() as typed:
        typed.write(b"secret\n")
        typed.seek(0)
        command = ["bash", "-eu", "-o", "pipefail", "-c", block]
        done = subprocess.run(
            command,
            cwd=ROOT,
            stdin=typed,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if may_fail else None,
            text=True,
            env=environment(directory),
            check=False,
        )
    print(done.stdout, end="", flush=True)
    if done.returncode and not (may_fail and done.returncode in (1, 2) and "denied" not in done.stdout):
        print(LOG.read_text() if LOG.exists() else "")
        sys.exit(f"status {done.returncode} of:\n{block}")
    return done.stdout


def environment(directory: Path) -> dict[str, str]:
    """Return the environment: `apt` asks nothing, and the directory's commands come first."""
    (directory / "apt.conf").write_text('APT::Get::Assume-Yes "true";\n')
    changes = {"APT_CONFIG": f"{directory}/apt.conf", "SYSTEMD_PAGER": "", "PATH": f"{directory}:{SYSTEM}"}
    return {**os.environ, **changes}


# Substitutes for systemd


def settings(key: str) -> list[str]:
    """Return the values of a key in the installed unit."""
    files = (UNIT, *sorted(DROP_INS.glob("*.conf")))
    return [value for file in files for value in re.findall(rf"^{key}=(.*)$", file.read_text(), re.MULTILINE)]


def start() -> None:
    """Start the unit's program, with its credentials, and wait until it is ready."""
    subprocess.run(["install", "-d", "-m", "700", "-o", "gamed", "-g", "gamed", STATE, CREDENTIALS], check=True)
    for name, source in (each.split(":") for each in settings("LoadCredential")):
        subprocess.run(["install", "-m", "400", "-o", "gamed", source, CREDENTIALS / name], check=True)
    with LOG.open("w") as log:
        started = subprocess.Popen(
            shlex.split(settings("ExecStart")[0]),
            cwd=STATE,
            stdout=log,
            stderr=log,
            env={**os.environ, "CREDENTIALS_DIRECTORY": str(CREDENTIALS)},
            user="gamed",
            group="gamed",
            extra_groups=[],
        )
    PID.write_text(str(started.pid))
    while "#info] ready" not in LOG.read_text():
        if started.poll() is not None:
            sys.exit(LOG.read_text())
        time.sleep(0.1)


def stop() -> None:
    """Stop it, and wait until it has ended."""
    send(signal.SIGTERM)
    # A zombie process has no program.
    while Path("/proc", PID.read_text(), "exe").exists():
        time.sleep(0.1)
    PID.unlink()


def send(number: signal.Signals) -> None:
    """Send a signal to the program."""
    os.kill(int(PID.read_text()), number)


def systemctl(verb: str, units: list[str]) -> None:
    """Do what systemctl does, to the service alone: without systemd, gamed opens its ports itself."""
    is_meant = not units or any(unit.partition(".")[0] == "gamed" for unit in units)
    if verb in {"stop", "restart"} and is_meant and PID.exists():
        stop()
    if verb in {"start", "restart", "enable"} and is_meant:
        start()
    if verb == "reload":
        *commands, _ = settings("ExecReload")
        for command in commands:
            subprocess.run(["runuser", "-u", "gamed", "--", *shlex.split(command)], check=True)
        send(signal.SIGHUP)
    if verb == "status" and not PID.exists():
        sys.exit(3)
    if verb == "daemon-reload":
        subprocess.run(["systemd-analyze", "verify", UNIT], check=True)


def stand_in(name: str, arguments: list[str]) -> None:
    """Act as a command of systemd."""
    if name == "systemctl":
        verb, *units = [each for each in arguments if not each.startswith("-")]
        systemctl(verb, units)
    elif name == "systemd-run":
        while arguments[0].startswith("-"):
            del arguments[: 2 if arguments[0] == "-p" else 1]
        os.execvp("runuser", ["runuser", "-u", "gamed", "--", *arguments])
    elif name == "journalctl":
        print(LOG.read_text(), end="")
    else:
        sys.exit(f"{name} cannot be stood in for")


def without_systemd(directory: Path) -> None:
    """Install this file as systemd's commands, and do what systemd would have done."""
    print("systemd does not run here: systemctl, systemd-run and journalctl are stood in for, sysctl is left out")
    for name in ("systemctl", "systemd-run", "journalctl"):
        (directory / name).symlink_to(Path(__file__).resolve())
    leave_sysctl_out(directory)
    subprocess.run(["service", "postgresql", "start"], check=True)


def leave_sysctl_out(directory: Path) -> None:
    """Have `sysctl` do nothing: a container shares the kernel of its host."""
    (directory / "sysctl").symlink_to("/bin/true")


def remove() -> None:
    """Remove what an earlier run has left on a machine without systemd."""
    subprocess.run(["pkill", "--signal", "KILL", "--uid", "gamed"], check=False, stderr=subprocess.DEVNULL)
    subprocess.run(
        ["rm", "-rf", "/opt/gamed", "/etc/gamed", UNIT.parent, DROP_INS, STATE, CREDENTIALS, PID, LOG], check=True
    )
    subprocess.run(["userdel", "--force", "gamed"], check=False, stderr=subprocess.DEVNULL)
    if Path("/usr/bin/dropdb").exists():
        subprocess.run(["service", "postgresql", "start"], check=False)
        for drop in ("dropdb", "dropuser"):
            command = ["runuser", "-u", "postgres", "--", drop, "--if-exists", "gamed"]
            subprocess.run(command, cwd="/", check=False, stderr=subprocess.DEVNULL)


def main() -> None:
    """Follow the page from its first block to its last, then its check once more, with the records in PostgreSQL."""
    if "--remove" in sys.argv:
        remove()
    if Path("/opt/gamed").exists() or Path("/etc/gamed").exists():
        sys.exit("gamed is installed here already; --remove removes it first, its records too")
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(temporary)
        directory.chmod(0o755)
        if not Path("/run/systemd/system").exists():
            without_systemd(directory)
        elif not os.access("/proc/sys/net/ipv4/ip_local_reserved_ports", os.W_OK):
            leave_sysctl_out(directory)
        page, operate = sections(PAGE), sections(OPERATE)
        (move,) = operate.pop("Move the records to another database")
        first, use, listing, *rest = page.pop("Records in PostgreSQL")
        printed = {heading: [follow(block, directory) for block in blocks] for heading, blocks in page.items()}
        for block in (first, move, use, listing, *rest):
            follow(block, directory)
        again = [follow(block, directory) for block in page["Check"]]
        listed = follow(listing, directory)
        for command in (line for blocks in operate.values() for block in blocks for line in block.splitlines()):
            follow(f"{command}\n", directory, may_fail=True)
        follow("man gamed-doctor | grep EXAMPLE", directory)
        said = follow("journalctl -u gamed", directory)
        follow("systemctl stop gamed.service", directory)
        assert all(Path(each).exists() for each in re.findall(r"\bfile:(\S+)", UNIT.read_text())), "Documentation="
        assert "plugin cache" not in said, "twistd --help must be run after the last pip install"
        # The records of the two checks: one in the restored SQLite file, and with that one another one in PostgreSQL.
        for text, count in ((printed["Back up and restore"][-1], 1), (listed, 2)):
            assert text.count("  battleship  ") == count, text
        for text in (*printed["Check"], *again):
            assert re.search(r"^ok +database ", text, re.MULTILINE), text
    print("the page can be followed as it stands")


if Path(sys.argv[0]).name == Path(__file__).resolve().name:
    main()
else:
    stand_in(Path(sys.argv[0]).name, sys.argv[1:])
