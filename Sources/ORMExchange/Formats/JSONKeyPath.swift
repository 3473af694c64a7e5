internal import ORM

/// One step of a path into a JSON value.
enum PathStep: Hashable, Sendable {
  /// The member of an object.
  case name(String)
  /// The element of an array, from 0.
  case index(Int)
  /// Every element of an array.
  case each
}

extension PathStep {
  /// Returns whether two steps are the same; names are compared by scalars.
  static func == (a: PathStep, b: PathStep) -> Bool {
    switch (a, b) {
    case (.name(let a), .name(let b)): a.hasSameScalars(as: b)
    case (.index(let a), .index(let b)): a == b
    case (.each, .each): true
    default: false
    }
  }

  /// Feeds the position, or the scalars of the name.
  func hash(into hasher: inout Hasher) {
    switch self {
    case .name(let name): hasher.combine(ExactText(name))
    case .index(let index): hasher.combine(index)
    case .each: hasher.combine(-1)
    }
  }
}

/// Paths as mappings name them: `price.amount`, `lines[0]`, `labels[*].name`.
///
/// A backslash takes the next character as it is, so `a\.b` is one name with a dot.
enum JSONKeyPath {
  /// The steps of a path; nil for text that is no path.
  static func steps(of text: String) -> [PathStep]? {
    var steps: [PathStep] = []
    var name = String.UnicodeScalarView()
    var hasName = false
    var rest = text.unicodeScalars[...]
    func isEmptyName() -> Bool { !hasName && name.isEmpty }
    while let next = rest.popFirst() {
      switch next {
      case "\\":
        guard let escaped = rest.popFirst() else { return nil }
        name.append(escaped)
        hasName = true
      case ".":
        if !isEmptyName() {
          steps.append(.name(String(name)))
        } else if steps.isEmpty || !(isArrayStep(steps[steps.count - 1])) {
          return nil
        }
        (name, hasName) = (String.UnicodeScalarView(), false)
        if rest.isEmpty { return nil }
      case "[":
        if !isEmptyName() { steps.append(.name(String(name))) }
        (name, hasName) = (String.UnicodeScalarView(), false)
        guard let end = rest.firstIndex(of: "]"), let step = arrayStep(Substring(rest[..<end]))
        else {
          return nil
        }
        steps.append(step)
        rest = rest[rest.index(after: end)...]
        guard rest.isEmpty || rest.first == "." || rest.first == "[" else { return nil }
      default:
        name.append(next)
        hasName = true
      }
    }
    if !isEmptyName() { steps.append(.name(String(name))) }
    return steps.isEmpty ? nil : steps
  }

  private static func isArrayStep(_ step: PathStep) -> Bool {
    if case .name = step { false } else { true }
  }

  private static func arrayStep(_ text: Substring) -> PathStep? {
    if text == "*" { return .each }
    // An index written by hand is small, since the elements before it are written out in full.
    return Int(text).flatMap { (0..<1_000).contains($0) ? .index($0) : nil }
  }

  /// The text of a path.
  static func text(of steps: [PathStep]) -> String {
    steps.reduce(into: "") { text, step in
      switch step {
      case .name(let name): text += (text.isEmpty ? "" : ".") + escaped(name)
      case .index(let index): text += "[\(index)]"
      case .each: text += "[*]"
      }
    }
  }

  /// A name as one step of a path.
  static func escaped(_ name: String) -> String {
    let scalars = name.unicodeScalars.reduce(into: String.UnicodeScalarView()) { text, letter in
      if letter == "." || letter == "[" || letter == "\\" { text.append("\\") }
      text.append(letter)
    }
    return String(scalars)
  }
}
