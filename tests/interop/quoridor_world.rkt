#lang racket/base

;; A real world of 2htdp/universe that a test steers. It knows no rules of Quoridor: only who is asked for what.
;;
;; Its commands are data, from the command line and then from stdin, at whose end the program exits:
;;
;;   (join HOST PORT NAME STEP ...)   run a big-bang that registers there; another one may follow when it has ended
;;   (leave)                          end the big-bang by stop-with
;;   any other list                   send it as it is, as in (play), (wait), (reset), (move player 4.0 1.0)
;;
;; The steps of `join` are done by the world alone, one after the other, each when a mail comes that asks for it.
;; On stdout, a line each: what 2htdp/universe says, `mail` with every mail, and the end: `left` or `disappeared`.
;;
;; Source: docs/specs/quoridor.md#what-a-world-does, docs/reference/quoridor.md#what-worlds-send.

(require racket/async-channel
         racket/list
         racket/match
         racket/port
         racket/string
         (only-in racket/gui/base yield)
         2htdp/universe
         (only-in 2htdp/image empty-scene))

;; How often stdin's commands are looked for, in seconds.
(define TICK 1/100)

;; The first symbol of a step, and those of the mails that ask for it.
(define ASKED-BY
  #hasheq((play . (wait-or-play))
          (wait . (wait-or-play))
          (move . (start2play start4play play))
          (reset . (won lost))
          (leave . (won lost disconnect))))

;; script: the steps that are left, a list; left?: whether it is the world that ends its big-bang.
(struct world (script left?))

(define commands (make-async-channel))

(define (say form . arguments)
  (displayln (apply format form arguments)))

;; world list -> world, package or stop-with
(define (do-step now step)
  (if (equal? step '(leave))
      (stop-with (struct-copy world now [left? #t]))
      (make-package now step)))

;; world sexp -> world, package or stop-with
(define (receive now mail)
  (say "mail ~s" mail)
  (match (world-script now)
    [(cons step steps)
     #:when (memq (first mail) (hash-ref ASKED-BY (first step)))
     (do-step (struct-copy world now [script steps]) step)]
    [_ now]))

;; world -> world, package or stop-with
(define (tick now)
  (match (async-channel-try-get commands)
    [#f now]
    [step (do-step now step)]))

(define (run host at called script)
  (define last
    (big-bang (world script #f)
      (name called)
      (register host)
      (port at)
      (on-receive receive)
      (on-tick tick TICK)
      (to-draw (lambda (_) (empty-scene 160 40)))
      (close-on-stop #t)))
  (say (if (world-left? last) "left" "disappeared")))

(define (read-commands)
  (define given (open-input-string (string-join (vector->list (current-command-line-arguments)) "\n")))
  (for ([command (in-port read (input-port-append #f given (current-input-port)))])
    (async-channel-put commands command))
  (exit))

(module+ main
  (file-stream-buffer-mode (current-output-port) 'line)
  (void (thread read-commands))
  (let next ()
    ;; Windows are served while it waits.
    (match-define (list 'join host at called script ...) (yield commands))
    (run host at called script)
    (next)))
