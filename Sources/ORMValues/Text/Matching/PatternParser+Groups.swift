extension PatternParser {
  /// The repetition at the position, if there is one.
  mutating func repetition() throws -> (least: Int, most: Int?)? {
    try skipNothing()
    guard !isQuoting, let scalar = peek else { return nil }
    let start = position
    let range: (least: Int, most: Int?)
    switch scalar {
    case "*": range = (0, nil)
    case "+": range = (1, nil)
    case "?": range = (0, 1)
    case "{":
      range = try interval()
      position -= 1
    default: return nil
    }
    position += 1
    try skipNothing()
    if !isQuoting, peek == "+" {
      throw fault("possessive repetition is not supported", at: start)
    }
    if !isQuoting { _ = take("?") }
    return range
  }

  /// `{n}`, `{n,}` or `{n,m}`.
  private mutating func interval() throws -> (least: Int, most: Int?) {
    let start = position
    position += 1
    guard let least = try number() else {
      throw fault(
        "a { must begin {n}, {n,} or {n,m}; for the character itself write \\{", at: start)
    }
    var most: Int? = least
    if take(",") { most = try number() }
    guard take("}") else { throw fault("{n}, {n,} or {n,m} has no closing }", at: start) }
    if let most, most < least {
      throw fault(
        "the upper bound of a repetition is below the lower one", at: start)
    }
    return (least, most)
  }

  private mutating func number() throws -> Int? {
    var number: Int?
    while let scalar = peek, scalar >= "0", scalar <= "9" {
      number = (number ?? 0) * 10 + Int(scalar.value - 48)
      guard let number, number <= Self.repetitionLimit else {
        throw StoreError(
          .tooComplex, "the pattern of MATCHES repeats more than \(Self.repetitionLimit) times")
      }
      position += 1
    }
    return number
  }
}

extension PatternParser {
  mutating func group(depth: Int) throws -> Atom {
    let start = position
    position += 1
    if peek != "?" { return .node(try groupBody(depth: depth, from: start)) }
    position += 1
    for (text, what) in [
      ("=", "look-ahead"), ("!", "look-ahead"), ("<=", "look-behind"), ("<!", "look-behind"),
      (">", "an atomic group"), ("(", "a condition"),
      (
        "P",
        "a group begins with an unknown syntax"
      ),
    ] as [(StaticString, String)] where looking(at: text) {
      throw fault("\(what) is not supported", at: start)
    }
    if take(":") { return .node(try groupBody(depth: depth, from: start)) }
    if take("<") {
      let name = position
      while let scalar = peek, Self.isNamePart(scalar, first: position == name) { position += 1 }
      guard position > name, take(">") else {
        throw fault(
          "the name of a group must consist of letters and digits and end with >", at: start)
      }
      return .node(try groupBody(depth: depth, from: start))
    }
    return try flagGroup(depth: depth, from: start)
  }

  private static func isNamePart(_ scalar: Unicode.Scalar, first: Bool) -> Bool {
    switch scalar {
    case "A"..."Z", "a"..."z": true
    case "0"..."9": !first
    default: false
    }
  }

  private mutating func groupBody(depth: Int, from start: Int) throws -> PatternNode {
    hasBegun = true
    let node = try choice(depth: depth + 1)
    guard take(")") else { throw fault("a group has no closing )", at: start) }
    return node
  }

  /// `(?ims-x)`, or a group with flags of its own.
  private mutating func flagGroup(depth: Int, from start: Int) throws -> Atom {
    let before = flags
    var new = flags
    var isOn = true
    var foldsCase: Bool?
    while let scalar = peek, scalar != ")", scalar != ":" {
      switch scalar {
      case "s": new.dotMatchesAll = isOn
      case "m": new.isMultiline = isOn
      case "x": new.isExtended = isOn
      case "i": foldsCase = isOn
      case "-" where isOn: isOn = false
      default: throw fault("the flags are i, m, s and x", at: position)
      }
      position += 1
    }
    guard peek != nil else { throw fault("a group has no closing )", at: start) }
    let isGroup = take(":")
    var addsFolding = false
    if let foldsCase, foldsCase != options.contains(.caseInsensitive) {
      addsFolding = true
      guard foldsCase, !hasBegun else {
        throw fault(
          "case can be ignored only for the whole pattern: use [c], or (?i) at the very beginning",
          at: start)
      }
      options.insert(.caseInsensitive)
    }
    flags = new
    guard isGroup else {
      position += 1
      return .flags
    }
    let node = try groupBody(depth: depth, from: start)
    flags = before
    if addsFolding {
      try skipNothing()
      guard position == scalars.count else {
        throw fault("(?i:…) must hold the whole pattern", at: start)
      }
    }
    return .node(node)
  }
}
