%{

static double first(double v) { return v + lost; }
%}
