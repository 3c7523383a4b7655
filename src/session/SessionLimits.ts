/** How many steers may wait unread (contract 5; `limits.maxSteers` in the response to `hello`). */
export const maxSteers = 16

/** How many sessions may be open beside each other (contract 9, `parallel_sessions`; `limits.maxSessions`). */
export const maxSessions = 16
