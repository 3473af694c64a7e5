internal import ORMValues

// Orders as texts: `country, -name[c] nils last, players.@count DESC`.
extension FormatParser {
  /// The whole text as keys of an order, with commas between.
  ///
  /// A key is any value. A minus in front, or `descending` (`desc`) behind it, reverses it;
  /// `[c]`, `[d]` and `[n]`, behind the key or the word, fold texts; `nils first` and `nils last`
  /// (`nulls`) set the position of nil.
  ///
  /// - Throws: as `condition()`.
  package mutating func order() throws -> [SortTerm] {
    var terms: [SortTerm] = []
    isOrder = true
    repeat { terms.append(try term()) } while try take(.comma)
    try expectEnd(after: "a comma, descending, nils or the end")
    return terms
  }

  /// The whole text as a key of groups, which may carry options: `name[c]`.
  ///
  /// - Throws: as `condition()`.
  package mutating func groupKey() throws -> Operand {
    isOrder = true
    let part = try expression(.sum)
    let (operand, type) = try value(part)
    let options = try options(of: part, type)
    try expectEnd(after: "options in brackets or the end")
    return operand.folded(options)
  }

  private mutating func term() throws -> SortTerm {
    let isNegative = try take(.minus)
    let part = try expression(.sum)
    let (operand, type) = try value(part)
    if type.isArray || type.kind == .json {
      throw fault("\(text(part)) is \(type.words), which cannot be sorted by", part)
    }
    var term = SortTerm(operand, isDescending: isNegative)
    term.options = try options(of: part, type)
    if try take(word: "descending", "desc") {
      guard !isNegative else {
        throw fault(
          "the minus and DESC both reverse the order; write one of them", part)
      }
      term.isDescending = true
    } else if try take(word: "ascending", "asc"), isNegative {
      throw fault("a minus reverses the order", part)
    }
    term.options.formUnion(try options(of: part, type))
    if try take(word: "nils", "nulls") {
      if try take(word: "first") {
        term.nils = .first
      } else {
        guard try take(word: "last") else { throw unexpected("first or last") }
        term.nils = .last
      }
    }
    return term
  }

  private mutating func options(
    of part: FormatExpression, _ type: FormatType
  ) throws -> TextOptions {
    let options = try textOptions()
    guard options.isEmpty || type.isText else {
      throw fault("the options \(options) apply only to text", part)
    }
    return options
  }

  private mutating func take(word names: String...) throws -> Bool {
    guard case .name(let name, nil) = token.kind, names.contains(name.lowercased()) else {
      return false
    }
    try advance()
    return true
  }

  /// True if the brackets that stand here are those of a key's options.
  var isAtOptions: Bool {
    guard isOrder else { return false }
    var rest = source.bytes[token.range.upperBound...].prefix(4)
    guard let close = rest.firstIndex(of: UInt8(ascii: "]")) else { return false }
    rest = rest[..<close]
    return !rest.isEmpty
      && rest.allSatisfy { "cdn".utf8.contains($0 | 0x20) }
  }
}
