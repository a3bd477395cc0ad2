/*  An autonomous Battleship client in SWI-Prolog 9, an example and for the tests of gamed. It is written from the
    protocol's description and behaves on the wire as the original Prolog client does.

    swipl -q -g main -t halt main.pl -- [--host HOST] [--port PORT] [--games N] [--seed N]

    Exit status: 0 when all games were won or lost, 1 otherwise, with the reason on stderr.
    Source: docs/reference/battleship.md#messages, docs/specs/battleship.md.
*/
:- module(main, [main/0]).
:- use_module(library(main), [argv_options/3]).
:- use_module(library(option)).
:- use_module(library(random)).
:- use_module(library(socket)).
:- use_module(attackModule).
:- use_module(defendModule).
:- use_module(initModule).
:- use_module(outputModule).

opt_type(host, host, atom).
opt_type(port, port, integer).
opt_type(games, games, nonneg).
opt_type(seed, seed, integer).

opt_help(host, "host to connect to (default: the own host name)").
opt_help(port, "port to connect to (default: 54321)").
opt_help(games, "number of games, each on a new connection (default: 1)").
opt_help(seed, "seed of the random numbers (default: a different one each time)").

opt_meta(host, 'HOST').
opt_meta(port, 'PORT').
opt_meta(games, 'N').
opt_meta(seed, 'N').

main :-
    % A test that ends this process early still sees every line that was printed.
    set_stream(user_output, buffer(line)),
    current_prolog_flag(argv, Argv),
    argv_options(Argv, Positional, Options),
    (   Positional == []
    ->  playAll(Options, Status)
    ;   format(user_error, "unexpected arguments: ~q~n", [Positional]),
        Status = 1
    ),
    halt(Status).

playAll(Options, Status) :-
    gethostname(Own),
    option(host(Host), Options, Own),
    option(port(Port), Options, 54321),
    option(games(Games), Options, 1),
    (   option(seed(Seed), Options)
    ->  set_random(seed(Seed))
    ;   true
    ),
    playGames(1, Games, Host:Port, tally(0, 0), tally(Won, Lost), Status),
    printTally(Won, Lost).

%!  playGames(+Number, +Games, +Address, +Tally0, -Tally, -Status) is det.
%   Plays from game Number to the last one, or to the first one without a result (Status 1).
playGames(Number, Games, _, Tally, Tally, 0) :-
    Number > Games,
    !.
playGames(Number, Games, Address, Tally0, Tally, Status) :-
    catch(playGame(Number, Address, Result), Error, true),
    (   var(Error)
    ->  counted(Result, Tally0, Tally1),
        Next is Number + 1,
        playGames(Next, Games, Address, Tally1, Tally, Status)
    ;   format(user_error, "game ~d at ~w has no result:~n", [Number, Address]),
        report(Error),
        Tally = Tally0,
        Status = 1
    ).

counted(won, tally(Won0, Lost), tally(Won, Lost)) :- Won is Won0 + 1.
counted(lost, tally(Won, Lost0), tally(Won, Lost)) :- Lost is Lost0 + 1.

report(unexpected(Term, Wanted)) :-
    !,
    format(user_error, "received ~q where ~w was expected~n", [Term, Wanted]).
report(noReaction(Term)) :-
    !,
    format(user_error, "there is no legal reaction to ~q~n", [Term]).
report(Error) :-
    print_message(error, Error).

%   The socket is closed before the result is printed. Force: a reset by the server must not hide the reason.
playGame(Number, Address, Result) :-
    setup_call_cleanup(
        tcp_connect(Address, Stream, []),
        dialogue(Stream, Result, Seconds, Shots),
        close(Stream, [force(true)])),
    printResult(Number, Result, Seconds, Shots).

dialogue(Stream, Result, Seconds, Shots) :-
    initPrologClient,
    receive(Stream, (Role, []), 'a role, (3,[]) or (4,[])'),
    firstState(Role, State),
    printMyField,
    receive(Stream, (5, []), 'the start signal, (5,[])'),
    get_time(Start),
    turn(State, Stream, 0, Result, Shots),
    get_time(End),
    Seconds is End - Start.

firstState(3, defend) :- !.
firstState(4, attack) :- !.
firstState(Role, _) :-
    throw(noReaction((Role, []))).

%!  turn(+State, +Stream, +Shots0, -Result, -Shots) is det.
%   Attacks and defends by turns until a code 4 was received (won) or sent (lost).
turn(attack, Stream, Shots0, Result, Shots) :-
    attack(Stream, Code),
    Shots1 is Shots0 + 1,
    (   Code == 4
    ->  Result = won,
        Shots = Shots1
    ;   turn(defend, Stream, Shots1, Result, Shots)
    ).
turn(defend, Stream, Shots0, Result, Shots) :-
    defend(Stream, Code),
    (   Code == 4
    ->  Result = lost,
        Shots = Shots0
    ;   turn(attack, Stream, Shots0, Result, Shots)
    ).

attack(Stream, Code) :-
    (   doAttack(X, Y)
    ->  send(Stream, "(1,[~w,~w]).~n", [X, Y])
    ;   throw(noReaction('a board without unknown cells'))
    ),
    receive(Stream, (2, [AnswerX, AnswerY, Code]), 'an answer, (2,[X,Y,R])'),
    (   attackResponse(AnswerX, AnswerY, Code)
    ->  true
    ;   throw(noReaction((2, [AnswerX, AnswerY, Code])))
    ).

defend(Stream, Code) :-
    receive(Stream, (1, [X, Y]), 'an attack, (1,[X,Y])'),
    (   doDefend(X, Y, Code)
    ->  send(Stream, "(2,[~w,~w,~w]).~n", [X, Y, Code])
    ;   throw(noReaction((1, [X, Y])))
    ).

%   Every message is flushed alone, so an answer and the attack that follows are two writes, as in the
%   original; Nagle's algorithm stays on.
send(Stream, Format, Arguments) :-
    format(Stream, Format, Arguments),
    flush_output(Stream).

receive(Stream, Term, Wanted) :-
    read(Stream, Read),
    (   Read = Term
    ->  true
    ;   throw(unexpected(Read, Wanted))
    ).
