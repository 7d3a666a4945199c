# Checks the definitions of the figures against the figures; tolerance 1e-6, because printed digits are rounded.
def near($a; $b): (($a - $b) | fabs) <= 1e-6 * ($b | fabs);
[
  .complete and .reference == .sizes[0].sets[0].set,
  (.sizes[] | . as $size | ($size.alone | map({ key: .devices[0], value: .seconds }) | from_entries) as $alone |
    .sets[] | [ .names[] | $alone[.] ] as $times |
      near(.ideal_seconds; 1 / ([ $times[] | 1 / . ] | add)),
      near(.efficiency; .ideal_seconds / .seconds),
      near(.gain; ($times | min) / .seconds),
      near(.speedup; $size.sets[0].seconds / .seconds),
      near(.seconds; .runs | sort | .[1]),
      (.runs | length) == 3,
      ([ .devices[].name ] == .names),
      ([ .devices[] | near(.alone_seconds; $alone[.name]) ] | all),
      ([ .devices[].rows ] | add) == $size.size)
] | all
