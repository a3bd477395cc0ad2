"""Broken bots as students write them, each beside correct opponents: is each told what is wrong? Source: issue 14."""
