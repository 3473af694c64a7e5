/// A piece of a format string, and the bytes it stands in.
struct FormatToken {
  var kind: Kind
  var range: Range<Int>

  enum Kind: Equatable {
    case end
    /// A name as it stands, and which word of the language it is.
    case name(String, FormatWord?)
    /// A name that is no word of the language, whatever it looks like: `#size`.
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

/// A word of the language; in any case.
enum FormatWord: String, CaseIterable {
  case and, or, not
  case between, contains, `in`, like, matches
  case beginsWith = "beginswith"
  case endsWith = "endswith"
  case any, some, all, none
  case null, `nil`, `self`, `true`, `false`, yes, no
  case truePredicate = "truepredicate"
  case falsePredicate = "falsepredicate"

  /// The words with their letters as numbers.
  private static let words = allCases.map { (letters: Letters($0.rawValue), word: $0) }

  /// The word that a name is; nil for a name of the program.
  init?(name: String) {
    let letters = Letters(name)
    guard let place = Self.words.firstIndex(where: { $0.letters == letters }) else { return nil }
    self = Self.words[place].word
  }

  /// The first sixteen bytes of a name, letters of ASCII in lower case, and how many it has: as
  /// quick to compare as a number.
  private struct Letters: Equatable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0
    private var count = 0

    init(_ name: String) {
      for byte in name.utf8 {
        let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        let letter = UInt64(isUpper ? byte | 0x20 : byte)
        if count < 8 { low = low << 8 | letter } else if count < 16 { high = high << 8 | letter }
        count += 1
      }
    }
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
}

/// What a `%` in a format takes.
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
