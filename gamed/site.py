"""Makes the daemon's web site; imported when somebody opens the first page, as all of `gamed.web`."""

from __future__ import annotations

from typing import Any

from gamed.config import Config
from gamed.replayers import importer
from gamed.web.service import web_site
from gamed.web.site import WebSite


def daemon_site(config: Config, **daemon: Any) -> WebSite:
    """Return the site of a daemon. `daemon`: what else `web_site` takes."""
    return web_site(config=config.web, importer=importer(config.store.formats), **daemon)
