"""What twistd finds: the daemon, and one line for each listener."""

from twisted.application.service import ServiceMaker

from gamed.registry import GameMaker, WrittenGameMaker

gamed = ServiceMaker("gamed", "gamed.tap", "Game server for the protocols that game programs already speak.", "gamed")

softwarechallenge = GameMaker("softwarechallenge", 13050, "gamed.games.softwarechallenge.seasons")
roborally = GameMaker("roborally", 19990, "gamed.games.roborally")
battleship = GameMaker("battleship", 54321, "gamed.games.battleship")
quoridor = GameMaker("quoridor", 4567, "gamed.games.quoridor")
go = WrittenGameMaker("gamed.games.go")
