"""Checks messages with dkimpy, pyspf, authheaders and libopendmarc: one JSON value a line in, one out.

The first line is the zone: {"records": {"TXT name": [text, ...]}, "broken": [name, ...]}. Each other line is a message.
"""

import base64
import ctypes
import ipaddress
import json
import sys

import authheaders
import authheaders.dmarc_lookup
import dkim
import spf
from authres import DKIMAuthenticationResult, SPFAuthenticationResult

# authheaders reads the Public Suffix List at each call; here it is read once.
lookup = authheaders.dmarc_lookup
with open(lookup.get_suffix_list_file_name(), encoding="utf-8") as suffixes:
    # A name that the list does not have is a suffix too (its rule "*"), which this reader does not know.
    ORGANIZATIONS = lookup.PublicSuffixList([*suffixes, "example\n"])
for module in (lookup, authheaders):
    module.get_org_domain = ORGANIZATIONS.get_public_suffix

ZONE = json.loads(sys.stdin.readline())
RECORDS = ZONE["records"]
BROKEN = set(ZONE["broken"])


class Failure(Exception):
    pass


def records(kind, name):
    name = name.rstrip(".").lower()
    for _ in range(8):
        if name in BROKEN:
            raise Failure("SERVFAIL")
        found = RECORDS.get(kind + " " + name)
        alias = RECORDS.get("CNAME " + name)
        if found is not None or alias is None:
            return found or []
        name = alias[0].rstrip(".")
    return []


def key_text(name, timeout=5):
    if isinstance(name, bytes):
        name = name.decode("ascii")
    found = records("TXT", name)
    return found[0].encode("latin-1") if found else None


def spf_dns(name, kind, strict=True, timeout=None, level=0):
    try:
        found = records(kind, name)
    except Failure as failure:
        raise spf.TempError("DNS failed") from failure
    for data in found:
        if kind == "MX":
            preference, host = data.split(" ")
            value = (int(preference), host.rstrip("."))
        elif kind == "TXT":
            value = (data.encode("latin-1"),)
        elif kind == "AAAA":
            value = ipaddress.ip_address(data).packed
        elif kind == "PTR":
            value = data.rstrip(".")
        else:
            value = data
        yield ((name, kind), value)


spf.DNSLookup = spf_dns


def check_dkim(message):
    results = []
    try:
        fields = dkim.rfc822_parse(message)[0]
    except dkim.MessageFormatError:
        return results
    count = sum(1 for name, _ in fields if name.lower() == b"dkim-signature")
    for index in range(min(count, 20)):
        try:
            results.append(bool(dkim.DKIM(message).verify(idx=index, dnsfunc=key_text)))
        except Exception:
            results.append(False)
    return results


def check_arc(message):
    try:
        return dkim.arc_verify(message, dnsfunc=key_text)[0].decode("ascii")
    except Exception:
        return "error"


def check_spf(case):
    try:
        return spf.check2(i=case["address"], s=case["mailFrom"], h=case["helo"])[0].lower()
    except Exception as error:
        return "error " + str(error)


def dmarc_text(name):
    found = [text for text in records("TXT", name) if text.startswith("v=DMARC1")]
    return found[0] if found else None


def check_authheaders(message, case):
    spf_result = SPFAuthenticationResult(result=case["spf"], smtp_mailfrom="a@" + case["spfDomain"])
    results = []
    for domain in case["passed"] or [None]:
        dkim_result = None
        if domain is not None:
            dkim_result = DKIMAuthenticationResult(result="pass", header_d=domain)
        try:
            results.append(authheaders.check_dmarc(message, spf_result, dkim_result, dnsfunc=dmarc_text).result)
        except Exception as error:
            results.append("error " + type(error).__name__)
    return "pass" if "pass" in results else results[0]


class Library(ctypes.Structure):
    _fields_ = [
        ("tld_type", ctypes.c_int),
        ("tld_source_file", ctypes.c_char * 4096),
        ("nscount", ctypes.c_int),
        ("nsaddr_list", ctypes.c_byte * 4096),
    ]


def load_opendmarc():
    library = ctypes.CDLL("libopendmarc.so.2")
    library.opendmarc_policy_connect_init.restype = ctypes.c_void_p
    for name in ("from_domain", "dkim", "spf", "dmarc"):
        getattr(library, "opendmarc_policy_store_" + name).argtypes = None
    settings = Library()
    settings.tld_type = 1
    settings.tld_source_file = b"/usr/share/publicsuffix/public_suffix_list.dat"
    library.opendmarc_policy_library_init(ctypes.byref(settings))
    return library, settings


try:
    OPENDMARC = load_opendmarc()
except OSError:
    OPENDMARC = None

STATUS = {14: "none", 15: "pass", 16: "fail", 17: "fail", 18: "fail"}


def check_opendmarc(case):
    """What libopendmarc makes of the results, the record and the organisational domain that it is given."""
    if OPENDMARC is None or case["record"] is None:
        return None
    library = OPENDMARC[0]
    context = ctypes.c_void_p(library.opendmarc_policy_connect_init(b"192.0.2.1", 4))
    library.opendmarc_policy_store_from_domain(context, case["fromDomain"].encode())
    for domain in case["passed"]:
        library.opendmarc_policy_store_dkim(context, domain.encode(), b"s", 1, None)
    if case["spf"] == "pass":
        library.opendmarc_policy_store_spf(context, case["spfDomain"].encode(), 1, 1, None)
    stored = library.opendmarc_policy_store_dmarc(
        context,
        case["record"].encode("latin-1"),
        case["recordAt"].encode(),
        case["organization"].encode(),
    )
    status = library.opendmarc_get_policy_to_enforce(context) if stored == 0 else 14
    library.opendmarc_policy_connect_shutdown(context)
    return STATUS.get(status, str(status))


def main():
    for line in sys.stdin:
        case = json.loads(line)
        message = base64.b64decode(case["raw"])
        answer = {
            "name": case["name"],
            "dkim": check_dkim(message),
            "arc": check_arc(message),
            "spf": check_spf(case),
            "authheaders": check_authheaders(message, case),
            "opendmarc": check_opendmarc(case),
        }
        print(json.dumps(answer), flush=True)


main()
