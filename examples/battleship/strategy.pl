/*  The strategy: which cell to shoot at next, and what an answer does to the open list.

    The open list is first in, first out. It may hold duplicates and cells that are known by now; those are
    passed over when they are taken out. There is no parity and no probability map.
    Source: docs/specs/battleship.md#the-open-list-strategy.
*/
:- module(strategy,
          [ chooseCell/2,
            strategyHit/2,
            strategySunk/0
          ]).
:- use_module(library(apply)).
:- use_module(library(lists)).
:- use_module(library(random)).
:- use_module(initModule).

%!  chooseCell(-X, -Y) is semidet.
%   The first unknown cell of the open list, or any unknown cell where the list is empty; fails when
%   nothing is unknown.
chooseCell(X, Y) :-
    openlist([HeadX-HeadY|Rest]),
    !,
    setOpenlist(Rest),
    (   enemyField(cell(HeadX, HeadY, unknown))
    ->  X = HeadX,
        Y = HeadY
    ;   chooseCell(X, Y)
    ).
chooseCell(X, Y) :-
    findall(UX-UY, enemyField(cell(UX, UY, unknown)), Unknown),
    random_member(X-Y, Unknown).

%!  strategyHit(+X, +Y) is det.
%   A ship was hit: its unknown neighbours come last in the list, and once the ship's direction is known,
%   the cells beside it leave the list.
strategyHit(X, Y) :-
    openlist(Old),
    findall(NX-NY, ( neighbour(X, Y, NX, NY), enemyField(cell(NX, NY, unknown)) ), New),
    append(Old, New, Extended),
    narrowed(X, Y, Extended, List),
    setOpenlist(List).

narrowed(X, Y, List, Narrowed) :-
    hitAt(X, Y, 0, 1),
    !,
    exclude(besideColumn(X), List, Narrowed).
narrowed(X, Y, List, Narrowed) :-
    hitAt(X, Y, 1, 0),
    !,
    exclude(besideRow(Y), List, Narrowed).
narrowed(_, _, List, List).

%   One of the two cells at this distance, before or behind X, Y, is a hit.
hitAt(X, Y, DX, DY) :-
    member(Sign, [-1, 1]),
    NX is X + Sign * DX,
    NY is Y + Sign * DY,
    enemyField(cell(NX, NY, hit)),
    !.

besideColumn(X, CellX-_) :- 1 =:= abs(CellX - X).

besideRow(Y, _-CellY) :- 1 =:= abs(CellY - Y).

%!  strategySunk is det.
%   The ship is sunk: nothing is left to follow.
strategySunk :-
    setOpenlist([]).
