//! The service as clients meet it, over real sockets.
