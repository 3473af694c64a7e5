internal import ORM

/// A property that a mapping does not carry in both directions.
///
/// See ``JSONMapping/losses``.
public struct MappingLoss: Hashable, Codable, Sendable, CustomStringConvertible {
  /// The attribute, the embedded struct or the relationship; behind a relationship, a property of its
  /// targets, such as `players.name`; nil for whole records.
  public var property: String?
  /// The reason.
  public var reason: Reason

  /// A reason why a property is not carried.
  public enum Reason: Hashable, Codable, Sendable {
    /// The property is not written.
    case notWritten
    /// The property is not read.
    case notRead
    /// The property is read from another path than it is written to, or that path has another value too.
    case otherPath
    /// The form in which it is read is another one than that in which it is written.
    case otherForm
    /// The form rounds, such as milliseconds.
    case rounded
    /// The value is made by closures, of which nothing is known: a transform, or a hook.
    case closure(String)
    /// Nil is read as another value, or not at all.
    case null
    /// The store sets it when it saves.
    case managed
    /// The property is the name of a member in a keyed list, which JSON Lines and CSV do not have.
    case memberName
    /// The keys of the targets are not carried.
    case targetKey
    /// Several targets may have the value of the attribute by which one is found.
    case notUnique
    /// The mapping writes members that it refuses to read.
    case refused
  }

  /// The loss in words.
  public var description: String {
    let text =
      switch reason {
      case .notWritten: "is not written"
      case .notRead: "is not read"
      case .otherPath: "is not read from where it is written"
      case .otherForm: "is not read in the form in which it is written"
      case .rounded: "is rounded"
      case .closure(let name): "is made by the closures of '\(name)'"
      case .null: "is not carried where it is nil"
      case .managed: "is set by the store"
      case .memberName: "is a member's name, in JSON alone"
      case .targetKey: "leads to targets whose keys are not carried"
      case .notUnique: "leads to targets by a value that others may have too"
      case .refused: "has members that are written and refused"
      }
    return "\(property ?? "the record") \(text)"
  }
}

extension JSONMapping {
  /// The properties that the mapping does not carry in both directions.
  ///
  /// ```swift
  /// let mapping = JSONMapping(Snack.self).field(\.added, as: .date(.milliseconds)).leaveOut(\.stock)
  /// print(try mapping.losses)   // [stock is not written, stock is not read, added is rounded]
  /// ```
  ///
  /// All others come back as they were when an export is imported into a store without those rows; of
  /// relationships, those that the query prefetches. A property may be listed although nothing of it is
  /// lost, such as one with closures that are each other's inverse.
  ///
  /// - Throws: `invalidMapping`.
  public var losses: [MappingLoss] {
    get throws {
      try check()
      var known = KnownLosses()
      return try losses(&known, shared: plan.targets)
    }
  }

  fileprivate func losses(
    _ known: inout KnownLosses, shared: SharedTargets
  ) throws -> [MappingLoss] {
    let id = ObjectIdentifier(identity)
    if let losses = known.all[id]?.losses { return losses }
    known.all[id] = (identity, [])
    var search = LossSearch(self, shared, try plan)
    let losses = try search.run(&known)
    known.all[id] = (identity, losses)
    return losses
  }
}

/// The losses of the mappings that a search has come to; none while one is looked at.
private struct KnownLosses {
  // The mappings are held, so that no other one gets the identity of one of them.
  var all: [ObjectIdentifier: (mapping: AnyObject, losses: [MappingLoss])] = [:]
}

/// A path in JSON that a mapping writes, with its leaf.
struct WrittenPath {
  let path: [PathStep]
  let leaf: WriteTree
  /// The marks of the objects around it that may be null.
  let marks: [Int]
}

extension WriteTree {
  /// Every leaf with its path, and the marks of the objects around it.
  func writtenPaths(_ path: [PathStep] = [], _ marks: [Int] = []) -> [WrittenPath] {
    switch self {
    case .object(let members, let presence):
      let marks = marks + (presence.map { [$0] } ?? [])
      return members.flatMap { $0.value.writtenPaths(path + [.name($0.name)], marks) }
    case .array(let elements):
      return elements.enumerated().flatMap { index, element in
        element?.writtenPaths(path + [.index(index)], marks) ?? []
      }
    case .elements(_, let rest):
      return [WrittenPath(path: path + [.each] + rest, leaf: self, marks: marks)]
    case .column, .link, .text: return [WrittenPath(path: path, leaf: self, marks: marks)]
    }
  }

  /// The marks of all objects that may be null.
  fileprivate var presences: Set<Int> {
    switch self {
    case .object(let members, let presence):
      members.reduce(into: Set(presence.map { [$0] } ?? [])) { $0.formUnion($1.value.presences) }
    case .array(let elements):
      elements.reduce(into: []) { $0.formUnion($1?.presences ?? []) }
    default: []
    }
  }
}

/// A search for the properties that a mapping without faults does not carry in both directions.
private struct LossSearch<Model: Persistable> {
  private let rules: MappingRules
  private let hooks: MappingHooks<Model>
  private let shared: SharedTargets
  private let plan: MappingPlan<Model>
  private let entity = Model.entity.description
  private let written: [WrittenPath]
  private var losses: [MappingLoss] = []

  init(_ mapping: JSONMapping<Model>, _ shared: SharedTargets, _ plan: MappingPlan<Model>) {
    rules = mapping.rules
    hooks = mapping.hooks
    self.shared = shared
    self.plan = plan
    written = plan.writing.writtenPaths()
  }

  private mutating func add(_ property: String?, _ reason: MappingLoss.Reason) {
    let loss = MappingLoss(property: property, reason: reason)
    if !losses.contains(loss) { losses.append(loss) }
  }

  mutating func run(_ known: inout KnownLosses) throws -> [MappingLoss] {
    if !rules.before.isEmpty { add(nil, .closure("before")) }
    if !hooks.after.isEmpty { add(nil, .closure("after")) }
    if !hooks.afterWriting.isEmpty { add(nil, .closure("afterWriting")) }
    let marks = Set(Model.entity.embedded.filter(\.isOptional).map(\.columns.lowerBound))
    for position in plan.columns.indices where !marks.contains(position) { check(position) }
    for part in Model.entity.embedded where part.isOptional { check(part) }
    for end in Model.entity.relationships { try check(end, &known) }
    checkRefused()
    for kind in plan.kinds?.kinds ?? [] { try check(kind, &known) }
    return losses
  }

  /// Adds the losses of the records of a kind.
  private mutating func check<Kind: KindPlan>(_ kind: Kind, _ known: inout KnownLosses) throws {
    for loss in try kind.mapping.losses(&known, shared: shared) { add(loss.property, loss.reason) }
  }

  // MARK: - Attributes

  private mutating func check(_ position: Int) {
    let attribute = entity.attributes[position]
    let column = plan.columns[position]
    let name = attribute.name
    if plan.keyColumn == position { return add(name, .memberName) }
    if attribute.role != nil { add(name, .managed) }
    let found = written.first {
      switch $0.leaf {
      case .column(position), .elements(position, path: _): true
      default: false
      }
    }
    if found == nil { add(name, .notWritten) }
    if column.sources.isEmpty { add(name, .notRead) }
    guard let found, !column.sources.isEmpty else { return }
    let isOutside = found.marks.contains { mark in
      !name.hasPrefix(entity.attributes[mark].name + ".")
    }
    if !isRead(found.path, from: column.sources) || isOutside { add(name, .otherPath) }
    if let reason = column.format.loss(of: column.written) { add(name, reason) }
    if attribute.isOptional { checkNull(column) }
  }

  /// Returns whether a value written at a path is read there, and nothing else is.
  private func isRead(_ path: [PathStep], from sources: [[PathStep]]) -> Bool {
    sources.contains(path)
      && !sources.contains { source in
        source != path
          && written.contains { Self.overlap($0.path, source) }
      }
  }

  /// Returns whether one path is a prefix of the other.
  private static func overlap(_ a: [PathStep], _ b: [PathStep]) -> Bool {
    zip(a, b).allSatisfy { a, b in
      switch (a, b) {
      case (.name, .name): a == b
      case (.index(let a), .index(let b)): a == b
      case (.each, .index), (.index, .each), (.each, .each): true
      case (.name, _), (_, .name): false
      }
    }
  }

  private mutating func checkNull(_ column: ColumnPlan) {
    let isNullInitially = if case .value(.null) = column.initial { true } else { false }
    let isNull =
      switch rules.writesNulls ? column.onNull : column.onAbsent {
      case .setNil: true
      case .keep, .useDefault: isNullInitially
      case .refuse: false
      }
    if !isNull { add(column.name, .null) }
  }

  /// Checks whether it is seen that an embedded struct is nil.
  private mutating func check(_ part: EmbeddedStruct) {
    let mark = part.columns.lowerBound
    let isMarked =
      plan.writing.presences.contains(mark)
      && ModelDraft(rules, hooks).isSelected(part.name, reading: true)
    let required = plan.record.structs.first { $0.mark == mark }?.columns.filter {
      if case .required = $0.initial { true } else { false }
    }
    let lost = Set(losses.compactMap(\.property))
    // A part that is never nil says that the struct is there.
    let isSaid = required?.contains { column, _ in
      !lost.contains(entity.attributes[column].name)
    }
    if !isMarked, isSaid != true { add(part.name, .null) }
  }

  // MARK: - Relationships

  private mutating func check<End: RelationshipEnd<Model>>(
    _ end: End, _ known: inout KnownLosses
  ) throws {
    let name = end.declaration.name
    let links = plan.links.compactMap { $0 as? TargetPlan<End> }
    let reading = links.first { $0.end.declaration.name == name && !$0.sources.isEmpty }
    var writing: TargetPlan<End>?
    var path: [PathStep] = []
    for entry in written {
      guard case .link(let number) = entry.leaf, number < plan.links.count,
        let link = plan.links[number] as? TargetPlan<End>, link.end.declaration.name == name
      else { continue }
      if case .count = link.form { continue }
      (writing, path) = (link, entry.path)
      if !entry.marks.isEmpty { add(name, .otherPath) }
    }
    if writing == nil { add(name, .notWritten) }
    if reading == nil { add(name, .notRead) }
    guard let reading, let writing else { return }
    if !isRead(path, from: reading.sources) { add(name, .otherPath) }
    try check(name, reading, writing, &known)
  }

  private mutating func check<End: RelationshipEnd<Model>>(
    _ name: String, _ reading: TargetPlan<End>, _ writing: TargetPlan<End>,
    _ known: inout KnownLosses
  ) throws {
    let key = End.Target.entity.description.key
    switch (reading.form, writing.form) {
    case (.attribute, .attribute):
      guard let read = reading.column, let written = writing.column, read.name == written.name
      else { return add(name, .otherForm) }
      if let reason = read.format.loss(of: written.format) { add(name, reason) }
      if written.isOptional { add(name, .null) }
      let isUnique =
        key == [read.name]
        || End.Target.entity.description.indexes.contains {
          $0.isUnique && $0.terms.map(\.attribute) == [read.name]
        }
      if !isUnique { add(name, .notUnique) }
    case (.attribute, _), (_, .attribute): add(name, .otherForm)
    case (.keys, .objects), (.keys, .missingObjects), (.keys, .linkedObjects): add(name, .otherForm)
    case (_, .objects), (_, .missingObjects), (_, .linkedObjects):
      let isToMany = reading.end.declaration.isToMany
      let mapping = writing.mapping(shared)
      let inner = try mapping.losses(&known, shared: shared).filter {
        // Lists of targets have the names of their members.
        !(isToMany && $0.reason == .memberName)
      }
      if !reading.mapping(shared).isSame(as: mapping) { add(name, .otherForm) }
      if inner.contains(where: { loss in key.contains { $0 == loss.property } }) {
        add(name, .targetKey)
      }
      if case .linkedObjects = reading.form { return }
      for loss in inner { add(loss.property.map { "\(name).\($0)" } ?? name, loss.reason) }
    default:
      let read: FieldFormat = if case .keys(let format) = reading.form { format } else { .plain }
      let written: FieldFormat =
        if case .keys(let format) = writing.form { format } else { .plain }
      if let reason = read.loss(of: written) { add(name, reason) }
    }
  }

  // MARK: - Unknown members

  /// Finds members that are written and refused.
  private mutating func checkRefused() {
    guard rules.unknown == .refuse else { return }
    let sources = plan.columns.flatMap(\.sources) + plan.links.flatMap(\.sources)
    for entry in written {
      if case .text = entry.leaf { continue }
      if !sources.contains(where: { Self.overlap($0, entry.path) }) { add(nil, .refused) }
    }
  }
}

extension FieldFormat {
  /// The reason why this form does not read the texts of another; nil if it does.
  fileprivate func loss(of written: FieldFormat) -> MappingLoss.Reason? {
    switch (self, written) {
    case (.custom(let read), .custom(let written)):
      return read.isExact && written.isExact && read.name.hasSameScalars(as: written.name)
        ? nil : .closure(written.name)
    case (_, .custom(let custom)), (.custom(let custom), _): return .closure(custom.name)
    case (.number(let orText, writesText: _), .number(_, let writesText)):
      return orText || !writesText ? nil : .otherForm
    case (.plain, .number(_, let writesText)): return writesText ? .otherForm : nil
    case (.plain, .bool(let writesNumber)): return writesNumber ? .otherForm : nil
    case (.plain, .plain), (.number, .plain), (.text, .plain), (.bool, .plain), (.plain, .text),
      (.text, .text), (.bool, .bool):
      return nil
    case (.plain, .date(let formats)): return formats.first == .iso8601 ? nil : .otherForm
    case (.date(let formats), .plain):
      return formats.first { $0.isText } == .iso8601 ? nil : .otherForm
    case (.date(let read), .date(let written)):
      guard let first = written.first, read.first(where: { $0.isText == first.isText }) == first
      else { return .otherForm }
      return first == .iso8601 || first == .secondsSince2001 ? nil : .rounded
    case (.data(let read), .data(let written)): return read == written ? nil : .otherForm
    case (.data(let format), .plain), (.plain, .data(let format)):
      return format == .base64 ? nil : .otherForm
    case (.cases(let read), .cases(let written)):
      return written.words.allSatisfy { read.value(of: $0.word) == $0.value } ? nil : .otherForm
    default: return .otherForm
    }
  }
}

extension JSONDateFormat {
  /// True if dates are texts.
  fileprivate var isText: Bool {
    switch self {
    case .iso8601, .pattern: true
    default: false
    }
  }
}
