// Goto binaries are read from their containers, listed, and checked.
// RUN: sapa-cc --list %d/../../fixtures/goto/pthread_mutex.gb | grep -A3 'thread starts'
// RUN: sapa-cc %d/../../fixtures/goto/loop.hybrid.o | sapa-opt -p verify | grep '^entry'
// RUN: sapa check %d/../../fixtures/goto/asm_fence.hybrid.o --threads 2
// EXIT: 0
// check: thread starts: 2
// nextln: in main: pthread_create (pthread_mutex.c:19)
// nextln: in main: pthread_create (pthread_mutex.c:20)
// check: entry @main
// check: any number of threads (the program starts at most 2; by explicit), sequential consistency, access atomicity
// nextln: VERIFICATION SUCCESSFUL
