# Checks the definitions of the figures against the figures; tolerance 1e-6, because printed digits are rounded.
def near($a; $b): (($a - $b) | fabs) <= 1e-6 * ($b | fabs);
[
  near(.ideal_seconds; 1 / ([.devices[] | 1 / .alone_seconds] | add)),
  near(.efficiency; .ideal_seconds / .seconds),
  near(.gain; ([.devices[].alone_seconds] | min) / .seconds),
  near(.seconds; .runs | sort | .[2]),
  near([.devices[].share] | add; 1),
  (.devices | all(.busy_seconds >= 0 and .chunks >= 0))
] | all
