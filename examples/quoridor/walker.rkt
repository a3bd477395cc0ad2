#lang racket/base
;; A world that plays Quoridor by itself: it walks to its goal, around walls and pawns.
(require racket/list racket/match 2htdp/image 2htdp/universe)

(define SERVER LOCALHOST) ; a string, the server's name or address
(define PORT 4567)

;; pawns: a list of (list x y), in the order of the worlds' ids; walls: a list of
;; (list x y orientation); text: what the window says
(struct board (pawns walls text))

(define STARTS '((4 0) (4 8) (0 4) (8 4)))

(define (new-board players)
  (board (take STARTS players) '() "a new game"))

;; What the server says: world, mail -> world or package

(define (receive now mail)
  (writeln mail) ; to see it while you look for mistakes
  (match mail
    [(list 'wait-or-play _ _) (make-package now '(play))]
    [(list 'start2play id _) (move (new-board 2) id)]
    [(list 'start4play id _) (move (new-board 4) id)]
    [(list 'start2wait _ _) (new-board 2)]
    [(list 'start4wait _ _) (new-board 4)]
    [(list 'wait id last) (after now id last "the others move")]
    [(list 'play id last)
     ;; It is the turn of the world whose id follows, and that is this one.
     (define me (+ (modulo id (length (board-pawns now))) 1))
     (move (after now id last "my move") me)]
    [(list 'won id last) (after now id last "won! r: again")]
    [(list 'lost id last) (after now id last "lost. r: again")]
    [(list symbol _ _) (struct-copy board now [text (symbol->string symbol)])]))

;; The board after the move of the world `id`. Numbers may come as 4 or as 4.0.
(define (after now id move text)
  (match-define (board pawns walls _) now)
  (match move
    [(list 'player x y _)
     (board (list-set pawns (- id 1) (map inexact->exact (list x y))) walls text)]
    [(list 'wall x y way)
     (board pawns (cons (list (inexact->exact x) (inexact->exact y) way) walls) text)]))

(define (move now me)
  (match-define (list x y) (next-step now me))
  ;; Symbols in a list that is made by `list` are quoted one by one.
  (make-package now (list 'move 'player (exact->inexact x) (exact->inexact y))))

;; Where to go

;; The first step of a shortest way to the goal; any step where pawns bar all ways.
(define (next-step now me)
  (define start (list-ref (board-pawns now) (- me 1)))
  (define first-steps (steps now start))
  (let search ([front (map list first-steps first-steps)] [seen (list start)])
    (match front
      ['() (first first-steps)]
      [(cons (list cell step) rest)
       (cond
         [(goal? me cell) step]
         [(member cell seen) (search rest seen)]
         [else
          (define more (for/list ([next (steps now cell)]) (list next step)))
          (search (append rest more) (cons cell seen))])])))

(define (goal? me cell)
  (match-define (list x y) cell)
  (case me [(1) (= y 8)] [(2) (= y 0)] [(3) (= x 8)] [(4) (= x 0)]))

;; The free neighbours of a cell. This world does not know how to jump.
(define (steps now cell)
  (match-define (board pawns walls _) now)
  (match-define (list x y) cell)
  (define around (list (list x (+ y 1)) (list x (- y 1)) (list (+ x 1) y) (list (- x 1) y)))
  (for/list ([next around]
             #:when (andmap (lambda (number) (<= 0 number 8)) next)
             #:unless (member next pawns)
             #:unless (ormap (lambda (wall) (between? wall cell next)) walls))
    next))

;; Is the wall between two neighbouring cells?
(define (between? wall one other)
  (match-define (list (list a b) (list c d)) (list one other))
  (match-define (list x y way) wall)
  (if (eq? way 'horizontal)
      (and (= a c) (= (max b d) y) (<= x a (+ x 1)))
      (and (= b d) (= (max a c) x) (<= y b (+ y 1)))))

;; What is shown

(define CELL 40)

(define (draw now)
  (match-define (board pawns walls title) now)
  (define field (square (* 9 CELL) "solid" "wheat"))
  (define with-pawns
    (for/fold ([image field]) ([pawn pawns] [color '("red" "blue" "green" "purple")])
      (place-image (circle (* 0.4 CELL) "solid" color)
                   (* (+ (first pawn) 0.5) CELL) (* (+ (second pawn) 0.5) CELL) image)))
  (define with-walls
    (for/fold ([image with-pawns]) ([wall walls])
      (match-define (list x y way) wall)
      (define bar (rectangle (* 2 CELL) 6 "solid" "black"))
      (if (eq? way 'horizontal)
          (place-image bar (* (+ x 1) CELL) (* y CELL) image)
          (place-image (rotate 90 bar) (* x CELL) (* (+ y 1) CELL) image))))
  (above with-walls (text title 20 "black")))

(define (press now key)
  (if (key=? key "r") (make-package now '(reset)) now))

(big-bang (board '() '() "waiting for the server")
  (name "walker")
  (register SERVER)
  (port PORT)
  (on-receive receive)
  (on-key press)
  (to-draw draw))
