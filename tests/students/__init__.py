"""Broken bots as students write them, each among correct opponents: each is told what is wrong."""
