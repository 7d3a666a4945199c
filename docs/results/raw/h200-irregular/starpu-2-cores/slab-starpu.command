/tmp/b-lead/bench/irregular/yoke-bench-irregular-starpu photons 16000000 3
