extension SchemaDifference: CustomStringConvertible {
  /// The differences for a person: by entity, then the steps, then the questions.
  public var description: String {
    if isEmpty {
      return oldVersion == newVersion
        ? "no differences" : "no differences but the \(versions)"
    }
    var parts: [String] = []
    if oldVersion != newVersion { parts.append(versions) }
    parts.append(changeLines.joined(separator: "\n"))
    let known = decided.map { Line(step: $0, remark: nil) } + lines { !$0.isOpen }
    if !known.isEmpty {
      parts.append((["steps:"] + known.map(\.text)).joined(separator: "\n"))
    }
    let open = questions.map(\.text) + lines(where: \.isOpen).map { "  if not: \($0.shortText)" }
    if !open.isEmpty { parts.append((["questions:"] + open).joined(separator: "\n")) }
    let rest = changes.filter(\.isUnsupported).map { "  \($0.location): \($0.remark ?? $0.detail)" }
    if !rest.isEmpty { parts.append((["without a step:"] + rest).joined(separator: "\n")) }
    if known.isEmpty, open.isEmpty, rest.isEmpty {
      parts.append("no steps are needed: additions are made when a program opens the store")
    }
    return parts.joined(separator: "\n\n")
  }

  /// A plan in Swift, to be pasted into a program; losses and guesses are marked by comments, and
  /// questions are open lines of which one is to be chosen.
  public var swiftPlan: String {
    var body: [String] = []
    for question in questions {
      for candidate in question.candidates {
        body.append("// \(question.asked(candidate)) Then:")
        body.append("// \(question.step(candidate).swift),")
      }
    }
    for change in changes where change.isOpen && !change.steps.isEmpty {
      body.append("// If \(change.location) is \(change.kind == .dropped ? "not renamed" : "new"):")
      if let remark = change.remark { body.append("// (\(remark))") }
      body += change.steps.map { "// \($0.swift)," }
    }
    body += decided.map { "\($0.swift)," }
    for change in changes where !change.isOpen {
      if change.isUnsupported {
        body.append(
          "// \(change.location), \(change.detail): \(change.remark ?? "no step does it").")
        continue
      }
      if change.steps.isEmpty {
        if change.part == .index, let remark = change.remark {
          body.append("// \(change.location): \(remark).")
        }
        continue
      }
      if let remark = change.remark { body.append("// Check \(change.location): \(remark).") }
      body += change.steps.map { "\($0.swift)," }
    }
    let number = newVersion ?? (oldVersion ?? 0) &+ 1
    let head =
      newVersion == nil || number <= oldVersion ?? 0
      ? ["// The version of the program's schema has to be greater than the store's."] : []
    return
      (head + ["let plan = MigrationPlan([", "  .version(\(number), ["]
      + body.map { "    \($0)" } + ["  ])", "])"]).joined(separator: "\n")
  }

  private var versions: String {
    func text(_ version: Int?) -> String { version.map { "\($0)" } ?? "none" }
    return "version: \(text(oldVersion)) → \(text(newVersion))"
  }

  /// A line an entity and a part, each entity's parts below it.
  private var changeLines: [String] {
    var lines: [String] = []
    var entity: String?
    for change in changes {
      let sign = change.kind.sign
      if change.part == .entity {
        entity = change.kind == .changed ? entity : nil
        if change.kind != .changed {
          lines.append("\(sign) \(change.entity)")
          continue
        }
      }
      if entity != change.entity {
        entity = change.entity
        lines.append(change.entity)
      }
      lines.append("  \(sign) \(change.text)")
    }
    return lines
  }

  /// A step with its remark.
  private struct Line {
    var step: MigrationStep
    var remark: String?

    var text: String { "  \(step)" + (remark.map { " (\($0))" } ?? "") }
    var shortText: String { text.trimmingPrefix("  ").description }
  }

  private func lines(where fits: (Change) -> Bool) -> [Line] {
    changes.filter(fits).flatMap { change in
      change.steps.map { Line(step: $0, remark: change.remark) }
    }
  }
}

extension SchemaDifference.Change {
  /// The part with its names: `Snack.price`.
  var location: String {
    switch (part, name) {
    case (.entity, _), (_, nil): entity
    case (.index, let name?): "\(entity), \(detail) \(name)"
    case (_, let name?): "\(entity).\(name)"
    }
  }

  /// The part without its entity, and a remark that belongs to no step.
  fileprivate var text: String {
    let part =
      switch (part, name) {
      case (.index, let name?): "\(detail): \(name)"
      case (_, let name?): "\(name): \(detail)"
      default: detail
      }
    guard let remark, steps.isEmpty, !isUnsupported else { return part }
    return "\(part) (\(remark))"
  }
}

extension SchemaDifference.Kind {
  fileprivate var sign: String {
    switch self {
    case .added: "+"
    case .dropped: "-"
    case .changed: "~"
    }
  }
}

extension SchemaDifference.RenameQuestion {
  /// The question about one candidate.
  func asked(_ candidate: Candidate) -> String {
    let old = name.map { "\(entity).\($0)" } ?? entity
    func percent(_ likeness: Double) -> Int { Int((likeness * 100).rounded()) }
    let values = candidate.valueLikeness.map { ", \(percent($0)) % of the values" } ?? ""
    return
      "Was \(old) renamed to \(candidate.name) (\(percent(candidate.likeness)) % alike\(values))?"
  }

  fileprivate var text: String {
    candidates.map { "  \(asked($0))" }.joined(separator: "\n")
  }
}
