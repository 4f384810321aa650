// SPDX-License-Identifier: MIT
// The grammar of .pbcc: header clauses, rule headers, rule bodies (docs/reference/language.md 3 and 7.2, 20).
//
// The parser reads preprocessed tokens, not text, and it reads them in units: one clause of a
// header, one rule header, one body. Where a unit ends is found beforehand by matching
// brackets (frontend/parse/outline), so an error never spreads beyond its unit. Which words are
// keywords depends on the unit (frontend/parse/token_source): a body may call a variable `from`.
//
// The lexer that ANTLR makes of this file is not used. Keywords and punctuation are found by
// their spelling; the kinds of token without a fixed spelling are listed at the end.
grammar Pbcc;

tokens {
  TNAME,    // body: name of a transform where a statement begins and `(` or `<` follows
  TYPE_ID,  // body: a type of docs/reference/language.md 7.6 and other well-known type names
  KEYWORD,  // body: a C++ keyword that this grammar does not carry
  OTHER,    // punctuation that this grammar does not carry
  NEVER     // no token is of this kind
}

// ---- Header clauses ------------------------------------------------------------

header : clause* EOF ;

clause
  : 'main'
  | 'memoized'
  | kind=('transform' | 'function') name
  | kind=('param' | 'parameter') name (',' name)*
  | kind=('from' | 'to' | 'through' | 'using') matrix (',' matrix)*
  | kind='template' '<'? templateParam (',' templateParam)* '>'?
  | kind='accuracy_metric' name
  | kind='accuracy_bins' number (',' number)*
  | kind=('generator' | 'gen') name
  | kind='input_feature' name
  | kind=('config' | 'tunable' | 'accuracy_variable') tunable
  | kind='scaled_by' name
  | kind='tolerance' number (',' number)?
  | kind='verify' name
  | kind='testcase' name
  ;

matrix : elementType? name ('<' versions '>')? ('[' formula (',' formula)* ']')? ('in' valueRange)? ;
valueRange : formula ('..' | '...') formula ;
versions : formula (('..' | '...') formula)? ;
elementType : 'double' | 'float' | 'int' | 'long' | 'short' | 'uchar' | 'ushort' ;
templateParam : name '(' integer ',' integer ')' ;
tunable : modifier* name ('(' (number (',' number (',' number)?)?)? ')')? ;
modifier
  : 'double' | 'float' | 'sizespecific' | 'accuracyhint'
  | 'array' '(' integer ')'
  | ('initial' | 'min' | 'max') '(' number ')'
  ;
number : ('-' | '+')? (INT | FLOAT) ;
integer : ('-' | '+')? INT ;

// Words that are special in some positions only.
name
  : ID | elementType | 'sizespecific' | 'accuracyhint' | 'array' | 'initial' | 'min' | 'max' | 'tolerance' | 'verify' | 'testcase' | 'in'
  | 'cell' | 'row' | 'col' | 'column' | 'region' | 'all'
  ;

// ---- Rule headers --------------------------------------------------------------

ruleHeader
  : ruleModifier* ruleOutputs 'from' '(' (binding (',' binding)*)? ')'
    (('through' | 'using') '(' matrix (',' matrix)* ')')? ('where' condition)? EOF
  ;
ruleModifier
  : 'primary' | 'secondary' | 'rotatable' | 'distinct'
  | 'priority' '(' integer ')'
  | 'recursive' ('(' formula ')')?
  | 'duplicate' '(' name ',' integer ',' integer ')'
  | 'rule' name
  ;
ruleOutputs : region | 'to' '(' (binding (',' binding)*)? ')' ;
binding : region name? ('=' formula)? ;
region : name ('<' formula '>')? ('.' accessor '(' (formula (',' formula)*)? ')')? ;
accessor : 'cell' | 'row' | 'col' | 'column' | 'region' | 'all' ;

condition : conjunction (('||' | 'or') conjunction)* ;
conjunction : conditionPart (('&&' | 'and') conditionPart)* ;
conditionPart : relation | '(' condition ')' ;
relation : formula relationOp formula ;
relationOp : '<' | '<=' | '>' | '>=' | '==' | '=' | '!=' ;

// Unary minus binds like binary minus from zero.
formula
  : <assoc=left> formula op='^' formula
  | formula op=('*' | '/') formula
  | sign=('-' | '+') formula
  | formula op=('+' | '-') formula
  | '(' inner=formula ')'
  | name
  | INT
  | FLOAT
  ;

// ---- Bodies ----------------------------------------------------------------------

body : stmt* EOF ;

// A statement with an error becomes opaque up to its end; see RecoveringStrategy.
stmt
  : emptyStmt | block | ifStmt | elseStmt | forStmt | whileStmt | doStmt | forEnoughStmt | switchStmt | caseLabel
  | returnStmt | jumpStmt | syncStmt | transformCall | legacyCall | label | tryWord | decl | exprStmt | otherStmt
  ;

emptyStmt : ';' ;
// Labels and `try` become opaque statements. The statements behind them do not, because these may hold calls.
label : ID ':' ;
tryWord : 'try' ;
block : '{' stmt* '}' ;
ifStmt : 'if' '(' condExpr ')' stmt ;
// An `else` is read as a statement of its own and joined to its `if` when the tree is built: a dangling `else` then needs no
// look-ahead.
elseStmt : 'else' stmt ;
forStmt : 'for' '(' forHead ')' stmt ;
forHead : (emptyStmt | decl | exprStmt) test=commaExpr? ';' step=commaExpr? | typeName ID ':' (range=expr | initList) ;
whileStmt : 'while' '(' condExpr ')' stmt ;
doStmt : 'do' stmt elseStmt* 'while' '(' condExpr ')' ';' ;
forEnoughStmt : 'for_enough' ('(' integer ';' integer ')')? stmt ;
switchStmt : 'switch' '(' condExpr ')' stmt ;
caseLabel : ('case' expr | 'default') ':' ;
returnStmt : 'return' (commaExpr | initList)? ';' ;
jumpStmt : ('break' | 'continue') ';' ;
syncStmt : 'sync' ('(' ')')? ';' | 'SYNC' '(' ')' ';' ;
transformCall : (TNAME | 'spawn' (TNAME | ID)) ('<' constExpr (',' constExpr)* '>')? '(' args? ')' ';' ;
legacyCall : ('SPAWN' | 'CALL') '(' (TNAME | ID) ('<' constExpr (',' constExpr)* '>')? (',' expr)* ')' ';' ;
exprStmt : commaExpr ';' ;
// The tokens that can begin no other statement. This alternative never matches as a whole, since no token is NEVER.
otherStmt
  : (KEYWORD | OTHER | 'mutable' | 'and' | 'or' | ')' | ']' | ',' | ':' | '?' | '.' | '->' | '..' | '...' | '/' | '%' | '^' | '|'
    | '<' | '<=' | '>' | '>=' | '==' | '!=' | '&&' | '||' | '<<' | '=' | '+=' | '-=' | '*=' | '/=' | '%=' | '&=' | '|='
    | '^=' | '<<=' | '>>=') NEVER
  ;

condExpr : commaExpr ;

// `T * p;` is a declaration.
decl : declPrefix* coreType 'const'? declarator (',' declarator)* ';' ;
declPrefix : 'static' | 'const' | 'constexpr' ;
coreType : builtinType+ | 'auto' | qualifiedType ;
builtinType : 'void' | 'bool' | 'char' | 'short' | 'int' | 'long' | 'float' | 'double' | 'unsigned' | 'signed' ;
qualifiedType : '::'? typeSegment ('::' typeSegment)* ;
typeSegment : (ID | TYPE_ID) templateArgs? ;
templateArgs : '<' (templateArg (',' templateArg)*)? '>' ;
templateArg : typeName functionParams? | constExpr ;
functionParams : '(' (typeName (',' typeName)*)? ')' ;
typeName : declPrefix* coreType 'const'? pointerOp* ;
pointerOp : '*' 'const'? | '&' | '&&' ;
declarator : pointerOp* ID arrayExtent* ('=' (expr | initList) | '(' args ')' | initList)? ;
arrayExtent : '[' expr? ']' ;
initList : '{' (initItem (',' initItem)*)? ','? '}' ;
initItem : expr | initList ;

args : expr (',' expr)* ;
commaExpr : expr (',' expr)* ;

expr
  : primary                                                              # primaryExpr
  | expr '(' args? ')'                                                   # callExpr
  | expr '[' commaExpr ']'                                               # subscriptExpr
  | expr op=('.' | '->') ID ('(' args? ')')?                             # memberExpr
  | expr op=('++' | '--')                                                # postfixExpr
  | op=('++' | '--' | '+' | '-' | '!' | '~' | '*' | '&') expr            # prefixExpr
  | '(' castType ')' expr                                                # castExpr
  | expr op=('*' | '/' | '%') expr                                       # binaryExpr
  | expr op=('+' | '-') expr                                             # binaryExpr
  | expr (op='<<' | op='>' '>') expr                                     # binaryExpr
  | expr op=('<' | '<=' | '>' | '>=') expr                               # binaryExpr
  | expr op=('==' | '!=') expr                                           # binaryExpr
  | expr op='&' expr                                                     # binaryExpr
  | expr op='^' expr                                                     # binaryExpr
  | expr op='|' expr                                                     # binaryExpr
  | expr op=('&&' | 'and') expr                                          # binaryExpr
  | expr op=('||' | 'or') expr                                           # binaryExpr
  | <assoc=right> expr '?' commaExpr ':' expr                            # conditionalExpr
  | <assoc=right> expr
    op=('=' | '+=' | '-=' | '*=' | '/=' | '%=' | '&=' | '|=' | '^=' | '<<=' | '>>=') expr   # assignExpr
  ;

primary
  : INT | FLOAT | CHAR | STRING+ | 'true' | 'false'
  | qualifiedName
  | templateCall
  | '(' commaExpr ')'
  | functionalCast
  | namedCast
  | lambda
  | opaquePrimary
  ;
qualifiedName : '::'? (typeSegment '::')* (ID | TNAME) ;
templateCall : qualifiedName templateArgs '(' args? ')' ;
functionalCast : (builtinType | knownType) '(' args? ')' ;
// `std::size_t` as well as `size_t`.
knownType : '::'? (ID '::')* TYPE_ID ;
namedCast : ('static_cast' | 'const_cast' | 'reinterpret_cast') '<' typeName '>' '(' commaExpr ')' ;
lambda : captures lambdaParams? 'mutable'? ('->' typeName)? block ;
captures : '[' (capture (',' capture)*)? ']' ;
capture : '=' | '&'? ID ('=' expr)? | '&' ;
lambdaParams : '(' (lambdaParam (',' lambdaParam)*)? ')' ;
lambdaParam : typeName ID? ;
// Expressions that the grammar knows and for which the tree has no node.
opaquePrimary
  : 'sizeof' '(' (typeName | commaExpr) ')'
  | 'sizeof' expr
  | 'new' declPrefix* coreType '*'* ('[' commaExpr ']' | '(' args? ')')?
  | 'delete' ('[' ']')? expr
  | 'nullptr'
  ;
// The type of a cast in parentheses: one that bodies know, or a pointer.
castType : declPrefix* (builtinType+ | knownType) 'const'? pointerOp* | declPrefix* qualifiedType 'const'? pointerOp+ ;

// Expressions between `<` and `>`.
constExpr
  : qualifiedName ('(' args? ')')?
  | constExpr '.' ID ('(' args? ')')?
  | constExpr '[' expr ']'
  | '(' castType ')' constExpr
  | op=('-' | '+') constExpr
  | constExpr op=('*' | '/' | '%') constExpr
  | constExpr op=('+' | '-') constExpr
  | INT | CHAR | 'true' | 'false'
  | functionalCast
  | namedCast
  | '(' inner=commaExpr ')'
  ;

// ---- Kinds of token ---------------------------------------------------------------

ID : [A-Za-z_] [A-Za-z0-9_]* ;
INT : [0-9] [A-Za-z0-9']* ;
FLOAT : [0-9]* '.' [0-9]+ ([eE] [-+]? [0-9]+)? | [0-9]+ [eE] [-+]? [0-9]+ ;
CHAR : '\'' ~['\n]+ '\'' ;
STRING : '"' ~["\n]* '"' ;
