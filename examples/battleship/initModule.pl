/*  The two fields and the open list: their storage, their first contents, and the placement of the own ships.

    A field is 100 facts, myField(cell(X, Y, State)) and enemyField(cell(X, Y, State)), X = column 0..9 and
    Y = row 0..9. States: water, ship, hit (own field); unknown, water, hit (enemy field).
    Source: docs/specs/battleship.md#ship-placement, docs/specs/battleship.md#the-open-list-strategy.
*/
:- module(initModule,
          [ initPrologClient/0,
            myField/1,
            enemyField/1,
            openlist/1,
            setMyField/3,
            setEnemyField/3,
            setOpenlist/1,
            neighbour/4,
            connectedHits/4
          ]).
:- use_module(library(apply)).
:- use_module(library(lists)).
:- use_module(library(random)).

:- dynamic myField/1, enemyField/1, openlist/1.

%!  initPrologClient is det.
%   Prepares everything for one game.
initPrologClient :-
    initMyField,
    initEnemyField,
    initOpenlist.

% In one of 70,000 placements there is no room left for the last ship: then begin again.
initMyField :-
    repeat,
    retractall(myField(_)),
    forall(coordinate(X, Y), assertz(myField(cell(X, Y, water)))),
    random_permutation([5, 4, 3, 3, 2], Lengths),
    maplist(placeShip, Lengths),
    !.

initEnemyField :-
    retractall(enemyField(_)),
    forall(coordinate(X, Y), assertz(enemyField(cell(X, Y, unknown)))).

% What a lost game left in the open list stays there for the next game, as in the original.
initOpenlist :-
    openlist(_),
    !.
initOpenlist :-
    setOpenlist([]).

coordinate(X, Y) :-
    between(0, 9, Y),
    between(0, 9, X).

%   Draws one of all legal placements, each with the same probability.
placeShip(Length) :-
    findall(Cells, legalPlacement(Length, Cells), Placements),
    random_member(Cells, Placements),
    forall(member(X-Y, Cells), setMyField(X, Y, ship)).

legalPlacement(Length, Cells) :-
    member(DX-DY, [1-0, 0-1]),
    coordinate(X, Y),
    shipCells(Length, X, Y, DX, DY, Cells).

%   The cells of a ship that starts at X, Y; fails where a cell is off the board, taken, or touches a ship, be it over a
%   corner: the text forbids that, although the released program allows it.
shipCells(0, _, _, _, _, []) :- !.
shipCells(Length, X, Y, DX, DY, [X-Y|Cells]) :-
    myField(cell(X, Y, water)),
    \+ ( touching(X, Y, NX, NY), myField(cell(NX, NY, ship)) ),
    Rest is Length - 1,
    NextX is X + DX,
    NextY is Y + DY,
    shipCells(Rest, NextX, NextY, DX, DY, Cells).

touching(X, Y, NX, NY) :-
    member(DX, [-1, 0, 1]),
    member(DY, [-1, 0, 1]),
    NX is X + DX,
    NY is Y + DY.

setMyField(X, Y, State) :-
    retractall(myField(cell(X, Y, _))),
    assertz(myField(cell(X, Y, State))).

setEnemyField(X, Y, State) :-
    retractall(enemyField(cell(X, Y, _))),
    assertz(enemyField(cell(X, Y, State))).

setOpenlist(List) :-
    retractall(openlist(_)),
    assertz(openlist(List)).

%!  neighbour(+X, +Y, -NX, -NY) is nondet.
%   The cells west, east, north and south of X, Y, in this order; they may lie off the board.
neighbour(X, Y, NX, Y) :- NX is X - 1.
neighbour(X, Y, NX, Y) :- NX is X + 1.
neighbour(X, Y, X, NY) :- NY is Y - 1.
neighbour(X, Y, X, NY) :- NY is Y + 1.

%!  connectedHits(+Field, +X, +Y, -Cells) is det.
%   All hit cells that hang together with X, Y over edges, itself included. Field is myField or enemyField.
connectedHits(Field, X, Y, Cells) :-
    flood([X-Y], Field, [], Cells).

flood([], _, Seen, Seen).
flood([Cell|Todo], Field, Seen, Cells) :-
    memberchk(Cell, Seen),
    !,
    flood(Todo, Field, Seen, Cells).
flood([X-Y|Todo], Field, Seen, Cells) :-
    findall(NX-NY, ( neighbour(X, Y, NX, NY), call(Field, cell(NX, NY, hit)) ), Hits),
    append(Hits, Todo, Next),
    flood(Next, Field, [X-Y|Seen], Cells).
