internal import ORMValues

/// A piece of a format string, and its bytes there.
struct FormatToken {
  var kind: Kind
  var range: Range<Int>

  enum Kind: Equatable {
    case end
    /// A name as written, and which word of the language it is.
    case name(String, FormatWord?)
    /// A name that is never read as a word of the language: `#size`.
    case key(String)
    /// `$NAME`, without the sign.
    case variable(String)
    /// `@count`, without the sign.
    case collectionOperator(String)
    case string(String)
    case integer(UInt64)
    /// A number with a fraction or an exponent, or one past 64 bits; as it stands.
    case number(String)
    /// `%@` and its family; the position counts from 1.
    case argument(FormatConversion, position: Int?)
    case sign(FormatSign)
  }
}

/// Signs of one or two characters.
enum FormatSign: String {
  case open = "("
  case close = ")"
  case openList = "{"
  case closeList = "}"
  case openIndex = "["
  case closeIndex = "]"
  case comma = ","
  case dot = "."
  case colon = ":"
  case plus = "+"
  case minus = "-"
  case times = "*"
  case power = "**"
  case slash = "/"
  case equal = "=="
  case notEqual = "!="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  case and = "&&"
  case or = "||"
  case not = "!"
  case percent = "%"
  case ampersand = "&"
  case bar = "|"
  case caret = "^"
  case tilde = "~"
  case shiftLeft = "<<"
  case shiftRight = ">>"
}

/// The kind of argument that a `%` in a format takes.
enum FormatConversion: Equatable {
  /// `%@`: any value.
  case object
  /// `%K`: a key, or several with dots between.
  case key
  /// `%d` and its family.
  case integer
  /// `%f` and its family.
  case floating
  /// `%s`
  case text
  /// `%c`: an integer, or a text of one scalar.
  case character
}
