/*  The attack: the cell to shoot at, and what the answer says about the enemy field.

    Source: docs/reference/battleship.md#messages, docs/specs/battleship.md#the-open-list-strategy.
*/
:- module(attackModule,
          [ doAttack/2,
            attackResponse/3
          ]).
:- use_module(initModule).
:- use_module(library(lists)).
:- use_module(strategy).

%!  doAttack(-X, -Y) is semidet.
doAttack(X, Y) :-
    chooseCell(X, Y).

%!  attackResponse(+X, +Y, +Code) is semidet.
%   Enters an answer: 1 water, 2 hit, 3 sunk, 4 last ship sunk. The answer's own coordinates count; they are
%   not compared with the shot. Fails off the board and for any other code.
attackResponse(X, Y, Code) :-
    enemyField(cell(X, Y, _)),
    !,
    entered(Code, X, Y).

entered(1, X, Y) :-
    setEnemyField(X, Y, water).
entered(2, X, Y) :-
    setEnemyField(X, Y, hit),
    strategyHit(X, Y).
entered(3, X, Y) :-
    setEnemyField(X, Y, hit),
    surroundWithWater(X, Y),
    strategySunk.
entered(4, X, Y) :-
    setEnemyField(X, Y, hit),
    strategySunk.

%   Corners of a sunk ship stay unknown: another ship may lie there.
surroundWithWater(X, Y) :-
    connectedHits(enemyField, X, Y, Ship),
    forall(( member(HX-HY, Ship),
             neighbour(HX, HY, NX, NY),
             enemyField(cell(NX, NY, unknown))
           ),
           setEnemyField(NX, NY, water)).
