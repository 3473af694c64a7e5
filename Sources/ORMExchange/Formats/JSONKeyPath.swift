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

/// Paths as mappings name them: `price.amount`, `lines[0]`, `labels[*].name`.
///
/// A backslash takes the next character as it is, so `a\.b` is one name with a dot.
enum JSONKeyPath {
  /// The steps of a path; nil for text that is no path.
  static func steps(of text: String) -> [PathStep]? {
    var steps: [PathStep] = []
    var name = ""
    var hasName = false
    var rest = Substring(text)
    func isEmptyName() -> Bool { !hasName && name.isEmpty }
    while let next = rest.popFirst() {
      switch next {
      case "\\":
        guard let escaped = rest.popFirst() else { return nil }
        name.append(escaped)
        hasName = true
      case ".":
        if !isEmptyName() {
          steps.append(.name(name))
        } else if steps.isEmpty || !(isArrayStep(steps[steps.count - 1])) {
          return nil
        }
        (name, hasName) = ("", false)
        if rest.isEmpty { return nil }
      case "[":
        if !isEmptyName() { steps.append(.name(name)) }
        (name, hasName) = ("", false)
        guard let end = rest.firstIndex(of: "]"), let step = arrayStep(rest[..<end]) else {
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
    if !isEmptyName() { steps.append(.name(name)) }
    return steps.isEmpty ? nil : steps
  }

  private static func isArrayStep(_ step: PathStep) -> Bool {
    if case .name = step { false } else { true }
  }

  private static func arrayStep(_ text: Substring) -> PathStep? {
    if text == "*" { return .each }
    // An index written by hand is small; what it makes is written out in full.
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
    name.reduce(into: "") { text, letter in
      if letter == "." || letter == "[" || letter == "\\" { text.append("\\") }
      text.append(letter)
    }
  }
}
