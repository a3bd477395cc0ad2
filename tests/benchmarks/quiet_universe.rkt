#lang racket/base

;; The server of universe.rkt with an empty window: racket quiet_universe.rkt PORT
;;
;; The window of 2htdp/universe lists all messages, and costs the more, the longer the list is. The library has a way to
;; leave it out, which fails at the first message in Racket 8.7. So its module is declared here, with a list that
;; forgets, before the library asks for it.

(require racket/runtime-path)

(define-runtime-path SERVER "universe.rkt")

(parameterize ([current-namespace (variable-reference->namespace (#%variable-reference))])
  (parameterize ([current-module-declare-name
                  ((current-module-name-resolver) '(lib "2htdp/private/logging-gui.rkt") #f #f #f)])
    (eval '(module logging-gui racket/gui
             (provide logging-gui% dummy-gui%)
             (define logging-gui%
               (class frame%
                 (init (label "Universe"))
                 (super-new [label label] [width 500] [height 300])
                 (define/public (log _form . _arguments) (void))))
             (define dummy-gui% logging-gui%))))
  (dynamic-require `(submod ,SERVER main) #f))
