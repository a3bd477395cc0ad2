#lang racket/base

;; Racket's own reader, as a universe calls it: one datum, and then the rest of its line.
;;
;; Each line of stdin is a stream in hexadecimal digits. For each, a line on stdout: where its data ended, in bytes, and
;; how the stream ended: `end`, `incomplete` or `malformed`.
;;
;; Source: docs/specs/quoridor.md#framing.

(require file/sha1)

(define (ends stream)
  (define in (open-input-bytes stream))
  (let loop ()
    (define datum
      (with-handlers ([exn:fail:read:eof? (lambda (_) 'incomplete)]
                      [exn:fail? (lambda (_) 'malformed)])
        (box (read in))))
    (cond
      [(symbol? datum) (list datum)]
      [(eof-object? (unbox datum)) '(end)]
      [else
       (define at (file-position in))
       (read-line in)
       (cons at (loop))])))

(for ([line (in-lines)])
  (displayln (ends (hex-string->bytes line)))
  (flush-output))
