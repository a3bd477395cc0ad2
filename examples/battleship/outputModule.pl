/*  The output: the own board before a game, the result of a game, the tally at the end; all on stdout.

    Columns are labelled 1 to 10, rows A to J; `#` is a ship, `.` is water.
    Source: docs/reference/battleship.md#messages, docs/specs/battleship.md#the-life-of-a-client.
*/
:- module(outputModule,
          [ printMyField/0,
            printResult/4,
            printTally/2
          ]).
:- use_module(initModule).

printMyField :-
    format("   1 2 3 4 5 6 7 8 9 10~n"),
    forall(between(0, 9, Y), printRow(Y)).

printRow(Y) :-
    Label is 0'A + Y,
    format("~c ", [Label]),
    forall(between(0, 9, X), printCell(X, Y)),
    nl.

printCell(X, Y) :-
    myField(cell(X, Y, State)),
    symbol(State, Symbol),
    format(" ~w", [Symbol]).

symbol(water, '.').
symbol(ship, '#').

%!  printResult(+Number, +Result, +Seconds, +Shots) is det.
%   Result is won or lost. Seconds run from the start signal to the code 4, Shots are the own shots.
printResult(Number, Result, Seconds, Shots) :-
    sentence(Result, Sentence),
    format("~w End of game.~n", [Sentence]),
    format("game ~d: ~w in ~3f s, ~d shots~n", [Number, Result, Seconds, Shots]).

sentence(won, 'KI wins.').
sentence(lost, 'KI looses.').

printTally(Won, Lost) :-
    format("End of game. KI won ~d times and lost ~d times.~n", [Won, Lost]).
