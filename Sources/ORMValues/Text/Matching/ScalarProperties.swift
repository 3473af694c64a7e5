/// The properties of scalars that patterns can name, of the one Unicode version.
final class ScalarProperties: Sendable {
  /// The one instance, read when a pattern first asks for a property.
  static let shared = ScalarProperties()

  /// The short and long names of the general categories, in the order of their numbers.
  private static let categoryNames = [
    ("lu", "uppercaseletter"), ("ll", "lowercaseletter"), ("lt", "titlecaseletter"),
    ("lm", "modifierletter"), ("lo", "otherletter"), ("mn", "nonspacingmark"),
    ("mc", "spacingmark"), ("me", "enclosingmark"), ("nd", "decimalnumber"),
    ("nl", "letternumber"), ("no", "othernumber"), ("pc", "connectorpunctuation"),
    ("pd", "dashpunctuation"), ("ps", "openpunctuation"), ("pe", "closepunctuation"),
    ("pi", "initialpunctuation"), ("pf", "finalpunctuation"), ("po", "otherpunctuation"),
    ("sm", "mathsymbol"), ("sc", "currencysymbol"), ("sk", "modifiersymbol"),
    ("so", "othersymbol"), ("zs", "spaceseparator"), ("zl", "lineseparator"),
    ("zp", "paragraphseparator"), ("cc", "control"), ("cf", "format"), ("cs", "surrogate"),
    ("co", "privateuse"), ("cn", "unassigned"),
  ]

  /// The names of several categories at once, and how the short names of those begin.
  private static let groupNames = [
    "letter": "l", "casedletter": "lc", "mark": "m", "combiningmark": "m", "number": "n",
    "punctuation": "p", "punct": "p", "symbol": "s", "separator": "z", "other": "c",
  ]

  private let categories: [ScalarSet]
  private let scripts: [ScalarSet]
  private let categoryNumbers: [String: Int]
  private let scriptNumbers: [String: Int]
  private let alphabetic: ScalarSet
  private let lowercase: ScalarSet
  private let uppercase: ScalarSet

  /// `\w`: Alphabetic, marks, decimal digits, connector punctuation and the two joiners.
  let word: ScalarSet
  /// `\d`: decimal digits (Nd).
  let digit: ScalarSet
  /// `\s`: White_Space.
  let space: ScalarSet
  /// `\h`: space separators (Zs) and the tabulator.
  let horizontalSpace: ScalarSet
  /// `\v`: the scalars that end a line.
  static let lineEnd = ScalarSet(ranges: [0x0A...0x0D, 0x85...0x85, 0x2028...0x2029])

  private init() {
    let count = Self.categoryNames.count
    var categories = Self.numbered(UnicodeTables.categories, count: count)
    categories[count - 1] =
      categories.dropLast().reduce(ScalarSet()) { $0.union($1) }.complement
    self.categories = categories
    var numbers: [String: Int] = [:]
    for (number, names) in Self.categoryNames.enumerated() {
      numbers[names.0] = number
      numbers[names.1] = number
    }
    numbers["cntrl"] = numbers["cc"]
    categoryNumbers = numbers

    let names = UnicodeTables.scriptNames.split(whereSeparator: { $0 == " " || $0 == "\n" })
    scripts = Self.numbered(UnicodeTables.scripts, count: names.count / 2)
    scriptNumbers = Dictionary(
      names.enumerated().map { (Self.loose(String($1)), $0 / 2) }, uniquingKeysWith: { $1 })

    func all(_ categoryNames: String...) -> ScalarSet {
      categoryNames.reduce(ScalarSet()) { set, name in
        numbers[name].map { set.union(categories[$0]) } ?? set
      }
    }
    alphabetic = all("lu", "ll", "lt", "lm", "lo", "nl")
      .union(Self.ranges(UnicodeTables.otherAlphabetic))
    lowercase = all("ll").union(Self.ranges(UnicodeTables.otherLowercase))
    uppercase = all("lu").union(Self.ranges(UnicodeTables.otherUppercase))
    digit = all("nd")
    word = alphabetic.union(all("mn", "mc", "me", "nd", "pc"))
      .union(ScalarSet(0x200C...0x200D))
    space = all("zs", "zl", "zp").union(ScalarSet(ranges: [0x09...0x0D, 0x85...0x85]))
    horizontalSpace = all("zs").union(ScalarSet(0x09))
  }

  /// The scalars with the property that a pattern names in `\p{…}` or `[:…:]`; nil for a name that
  /// is none of those below.
  ///
  /// General categories by short and long name, alone or after `gc=`; scripts likewise, after
  /// `script=` or `sc=`; Any, ASCII, Assigned, Alphabetic, Lowercase, Uppercase, White_Space,
  /// Hex_Digit, ASCII_Hex_Digit; and the names of POSIX as UTS #18 (annex C) has them. Case,
  /// spaces, `-` and `_` do not count.
  func set(named name: String) -> ScalarSet? {
    let parts = name.split(separator: "=", omittingEmptySubsequences: false).map {
      Self.loose(String($0))
    }
    switch parts.count {
    case 1: return category(parts[0]) ?? other(parts[0]) ?? script(parts[0])
    case 2:
      switch parts[0] {
      case "gc", "generalcategory": return category(parts[1])
      case "sc", "script": return script(parts[1])
      default: return nil
      }
    default: return nil
    }
  }

  private func category(_ name: String) -> ScalarSet? {
    if let number = categoryNumbers[name] { return categories[number] }
    let prefix = Self.groupNames[name] ?? name
    if prefix == "lc" {
      return categories[0].union(categories[1]).union(categories[2])
    }
    guard prefix.utf8.count == 1 else { return nil }
    let members = Self.categoryNames.indices.filter {
      Self.categoryNames[$0].0.hasPrefix(prefix)
    }
    return members.isEmpty
      ? nil : members.reduce(ScalarSet()) { $0.union(categories[$1]) }
  }

  private func script(_ name: String) -> ScalarSet? {
    if name == "unknown" || name == "zzzz" {
      return scripts.reduce(ScalarSet()) { $0.union($1) }.complement
    }
    return scriptNumbers[name].map { scripts[$0] }
  }

  private func other(_ name: String) -> ScalarSet? {
    switch name {
    case "any": .all
    case "ascii": ScalarSet(0...0x7F)
    case "assigned": categories.last?.complement
    case "alphabetic", "alpha": alphabetic
    case "lowercase", "lower": lowercase
    case "uppercase", "upper": uppercase
    case "whitespace", "wspace", "space": space
    case "asciihexdigit", "ahex": Self.hexadecimal
    case "hexdigit", "hex": Self.wideHexadecimal
    case "xdigit": Self.wideHexadecimal.union(digit)
    case "digit": digit
    case "alnum": alphabetic.union(digit)
    case "blank": horizontalSpace
    case "word": word
    case "graph": graph
    case "print": graph.union(horizontalSpace).subtracting(ScalarSet(0x09))
    default: nil
    }
  }

  private var graph: ScalarSet {
    ["cc", "cs", "cn"].reduce(space) { set, name in category(name).map(set.union) ?? set }
      .complement
  }

  private static let hexadecimal = ScalarSet(ranges: [0x30...0x39, 0x41...0x46, 0x61...0x66])
  private static let wideHexadecimal = hexadecimal.union(
    ScalarSet(ranges: [0xFF10...0xFF19, 0xFF21...0xFF26, 0xFF41...0xFF46]))

  /// A name without the characters that do not count (UAX #44, LM3).
  private static func loose(_ name: String) -> String {
    String(
      decoding: name.utf8.filter { $0 != 0x20 && $0 != 0x2D && $0 != 0x5F }
        .map(\.asciiLowercased), as: UTF8.self)
  }

  /// Reads runs of numbered ranges.
  private static func numbered(_ text: StaticString, count: Int) -> [ScalarSet] {
    var ranges = [[ClosedRange<UInt32>]](repeating: [], count: count)
    var numbers = PackedNumbers(text)
    var end: UInt32 = 0
    while let gap = numbers.next(), let more = numbers.next(), let number = numbers.next() {
      let start = end + gap
      end = start + more + 1
      ranges[Int(number)].append(start...end - 1)
    }
    return ranges.map { ScalarSet(ranges: $0) }
  }

  /// Reads ranges.
  private static func ranges(_ text: StaticString) -> ScalarSet {
    var ranges: [ClosedRange<UInt32>] = []
    var numbers = PackedNumbers(text)
    var end: UInt32 = 0
    while let gap = numbers.next(), let more = numbers.next() {
      let start = end + gap
      end = start + more + 1
      ranges.append(start...end - 1)
    }
    return ScalarSet(ranges: ranges)
  }
}
