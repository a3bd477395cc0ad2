"""RoboRally, as the manager ("Verwalter") of SWP'99. Source: roborally.md."""
