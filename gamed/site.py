"""Makes the daemon's web site; imported when somebody opens the first page, as all of `gamed.web`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gamed.config import Config
from gamed.records.index import index
from gamed.replayers import readers, replayers
from gamed.web.imports import Importing
from gamed.web.service import web_site
from gamed.web.site import WebSite


def daemon_site(config: Config, **daemon: Any) -> WebSite:
    """Return the site of a daemon. `daemon`: what else `web_site` takes."""
    formats = config.store.formats
    importing = Importing(index(Path(formats) if formats else None), replayers(), readers())
    return web_site(config=config.web, importing=importing, **daemon)
