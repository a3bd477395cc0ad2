#lang racket/base

;; The yardstick for Quoridor: a server of 2htdp/universe that sends two worlds the messages that gamed would send.
;;
;;   racket universe.rkt PORT
;;
;; It keeps the order of the two worlds and looks whether a pawn is at its goal. It knows no other rule, and judges and
;; records nothing. Source: docs/reference/quoridor.md#states-of-a-table, docs/specs/quoridor.md#the-end-of-a-game.

(require racket/list
         racket/match
         (only-in racket/gui/base yield)
         2htdp/universe)

;; A world's place at the table: its id, and the row that is its pawn's goal.
(struct seat (world id goal))

;; The universe is the list of seats, who is to move first.
(define (tell calls id move seats)
  (for/list ([call calls] [one seats])
    (make-mail (seat-world one) (list call id move))))

;; [Listof seat] iworld -> bundle
(define (join seats world)
  (define all (append seats (list (if (empty? seats) (seat world 1 8) (seat world 2 0)))))
  (define calls (if (empty? seats) '(wait-for-players) '(wait-or-play wait-or-play)))
  (make-bundle all (tell calls 0 '() all) '()))

;; [Listof seat] iworld sexp -> bundle
(define (receive seats world message)
  (match message
    ;; The other world has left.
    [_ #:when (empty? seats) (make-bundle '() '() '())]
    [(or '(play) '(reset))
     (make-bundle seats (tell '(start2play start2wait) (seat-id (first seats)) '() seats) '())]
    [(list 'move kind x y _ ...)
     (define mover (first seats))
     (define won? (and (eq? kind 'player) (= y (seat-goal mover))))
     (define mails (tell (if won? '(won lost) '(wait play)) (seat-id mover) (list kind x y (last message)) seats))
     (make-bundle (append (rest seats) (list mover)) mails '())]))

(define (run at)
  (universe '()
    (on-new join)
    (on-msg receive)
    (on-disconnect (lambda (_seats _world) (make-bundle '() '() '())))
    (port at)))

(module+ main
  (run (string->number (vector-ref (current-command-line-arguments) 0)))
  (yield never-evt))
