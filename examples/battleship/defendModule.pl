/*  The defence: the answer to a shot at the own field.

    Misses are not recorded, so a second shot into the same water is water again. A second shot at a hit cell
    has no answer.
    Source: docs/reference/battleship.md#messages, docs/specs/battleship.md#the-open-list-strategy.
*/
:- module(defendModule,
          [ doDefend/3
          ]).
:- use_module(initModule).
:- use_module(library(lists)).

%!  doDefend(+X, +Y, -Code) is semidet.
%   Code: 1 water, 2 hit, 3 sunk, 4 last ship sunk. Fails off the board and at a cell that was hit before.
doDefend(X, Y, Code) :-
    myField(cell(X, Y, State)),
    !,
    answer(State, X, Y, Code).

answer(water, _, _, 1).
answer(ship, X, Y, Code) :-
    setMyField(X, Y, hit),
    damage(X, Y, Code).

damage(_, _, 4) :-
    \+ myField(cell(_, _, ship)),
    !.
damage(X, Y, 2) :-
    connectedHits(myField, X, Y, Hits),
    member(HX-HY, Hits),
    neighbour(HX, HY, NX, NY),
    myField(cell(NX, NY, ship)),
    !.
damage(_, _, 3).
