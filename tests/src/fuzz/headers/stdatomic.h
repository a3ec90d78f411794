typedef _Atomic int atomic_int; typedef _Atomic unsigned atomic_uint; typedef _Atomic _Bool atomic_bool;
enum { memory_order_relaxed, memory_order_consume, memory_order_acquire, memory_order_release, memory_order_acq_rel, memory_order_seq_cst };
