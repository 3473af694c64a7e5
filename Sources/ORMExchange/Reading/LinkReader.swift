internal import ORM

/// A reader of one relationship of the records of a text, apart from its types.
protocol LinkReader: AnyObject {
  /// Discards the values of the last record.
  func reset()
  /// Reads the value of the relationship.
  func read(_ scanner: inout JSONScanner, rank: UInt8, depth: Int) throws
  /// Begins a list whose elements are read one by one; false if a better source gave targets.
  func begin(rank: UInt8) -> Bool
  /// Adds the fault of a value that is no array.
  func refuseList(_ scanner: JSONScanner)
  /// Reads one more target.
  func readElement(_ scanner: inout JSONScanner, depth: Int) throws
  /// Sets the relationship to null, since the object that has it is null.
  func setNull(rank: UInt8)
  /// True if the relationship is one of the records themselves.
  var isOfRecord: Bool { get set }
}

/// A reader of one relationship of a model.
protocol ModelLinkReader<Model>: LinkReader {
  associatedtype Model: Persistable
  /// The relationship's name.
  var name: String { get }
  /// True if JSON had the relationship.
  var isGiven: Bool { get }
  /// True if JSON had a target that is not stored yet.
  var isOpen: Bool { get }
  /// True if the relationship must lead somewhere.
  var isRequired: Bool { get }
  /// The error of a target that is not stored.
  var missing: StoreError { get }
  /// Sets the relationship, if JSON had it.
  func apply(to model: inout Model)
  /// Notes the stored members that the list in JSON lacks, if they are to be deleted.
  ///
  /// - Parameters:
  ///   - model: the object as it was read.
  ///   - key: the key of its row.
  func noteUnlisted(of model: Model, key: [StoredValue], in unlisted: UnlistedMembers) throws
}

/// The reader of a relationship to a target.
final class TargetReader<End: RelationshipEnd>: ModelLinkReader where End.Model: Persistable {
  private let plan: TargetPlan<End>
  private let reading: JSONReading
  /// The relationship whose targets are found by an attribute; nil for any other.
  private let found: FoundLink?
  private var elements: [LinkElement<End.Target>] = []
  private var rank = JSONCell.notGiven
  private var objects: ObjectReader<End.Target>?
  /// The readers of objects of kinds with models of their own, by their numbers.
  private var kinds: [Int: any NestedKindReader] = [:]
  private(set) var isOpen = false
  var isOfRecord = false

  init(_ plan: TargetPlan<End>, _ reading: JSONReading) {
    self.plan = plan
    self.reading = reading
    found = plan.column.map {
      FoundLink(
        entity: End.Model.entity.written.name, name: plan.name,
        target: End.Target.entity.written.name, attribute: $0.name,
        isRequired: plan.end.declaration.isRequired)
    }
  }

  var name: String { plan.name }
  var isGiven: Bool { rank != JSONCell.notGiven }

  var isRequired: Bool { plan.end.declaration.isRequired }

  var missing: StoreError {
    .missingTarget(
      End.Target.entity.written.name, of: plan.name, in: End.Model.entity.written.name)
  }

  func reset() {
    rank = JSONCell.notGiven
    isOpen = false
    if !elements.isEmpty { elements.removeAll(keepingCapacity: true) }
  }

  func begin(rank: UInt8) -> Bool {
    // Null, which is no targets, yields to a source with a value.
    guard rank <= self.rank || (elements.isEmpty && !isOpen) else { return false }
    self.rank = rank
    isOpen = false
    elements.removeAll(keepingCapacity: true)
    return true
  }

  func setNull(rank: UInt8) {
    if self.rank == JSONCell.notGiven || self.rank == rank { _ = begin(rank: rank) }
  }

  func apply(to model: inout End.Model) {
    guard rank != JSONCell.notGiven, !isOpen else { return }
    let addition: LinkAddition =
      if case .asListed = plan.order { .atStart } else { .atEnd }
    plan.end.set(elements, adding: plan.unlisted == .keep ? addition : nil, in: &model)
  }

  func noteUnlisted(
    of model: End.Model, key: [StoredValue], in unlisted: UnlistedMembers
  ) throws {
    guard plan.unlisted == .delete, isGiven, !isOpen else { return }
    try unlisted.note(plan.end, of: model, key: key)
  }

  func read(_ scanner: inout JSONScanner, rank: UInt8, depth: Int) throws {
    scanner.skipSpace()
    if scanner.next == UInt8(ascii: "n") {
      try reading.skip(&scanner, depth: depth)
      return setNull(rank: rank)
    }
    if plan.end.declaration.isToMany {
      try readList(&scanner, rank, depth)
    } else if begin(rank: rank) {
      try readElement(&scanner, depth: depth)
    } else {
      try reading.skip(&scanner, depth: depth)
    }
  }

  private func readList(_ scanner: inout JSONScanner, _ rank: UInt8, _ depth: Int) throws {
    switch scanner.next {
    case UInt8(ascii: "["):
      guard begin(rank: rank) else { break }
      return try reading.forEachElement(&scanner, depth: depth) {
        try readElement(&$0, depth: depth + 1)
      }
    case UInt8(ascii: "{"):
      let list = try target().plan.list
      if case .array = list { return try refuse("an array", &scanner, depth) }
      guard begin(rank: rank) else { break }
      if case .oneOrMany = list { return try readElement(&scanner, depth: depth) }
      return try reading.forEachMember(&scanner, depth: depth) { name, scanner in
        try readElement(&scanner, depth: depth + 1, name: name)
      }
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      // A count names no target.
      if case .keys = plan.form { return try refuse("an array", &scanner, depth) }
    default: return try refuse("an array", &scanner, depth)
    }
    try reading.skip(&scanner, depth: depth)
  }

  private func refuse(_ expected: String, _ scanner: inout JSONScanner, _ depth: Int) throws {
    addFault("expected \(expected), found \(scanner.found)", scanner.position)
    try reading.skip(&scanner, depth: depth)
  }

  func refuseList(_ scanner: JSONScanner) {
    addFault("expected an array, found \(scanner.found)", scanner.position)
  }

  private func addFault(_ message: String, _ offset: Int) {
    reading.faults.add(
      JSONFault(
        offset: offset, message: message, entity: End.Model.entity.written.name,
        attribute: plan.name))
  }

  func readElement(_ scanner: inout JSONScanner, depth: Int) throws {
    try readElement(&scanner, depth: depth, name: nil)
  }

  private func readElement(_ scanner: inout JSONScanner, depth: Int, name: String?) throws {
    scanner.skipSpace()
    if isOfRecord { reading.unlisted?.link = plan.name }
    let isObject = scanner.next == UInt8(ascii: "{")
    switch plan.form {
    case .attribute: try readAttribute(&scanner, depth, isObject: isObject)
    case .objects where isObject, .standard where isObject, .missingObjects where isObject:
      if let element = try readObject(&scanner, depth, name) { elements.append(element) }
    default: try readKey(&scanner, depth, isObject: isObject)
    }
  }

  /// Reads a target that is an object; nil for one that is left out or has faults.
  private func readObject(
    _ scanner: inout JSONScanner, _ depth: Int, _ name: String?
  ) throws -> LinkElement<End.Target>? {
    reading.hasObjects = true
    let objects = try target()
    let isForMissing = if case .missingObjects = plan.form { true } else { false }
    if let kinds = objects.plan.kinds {
      guard let nested = reading.nestedKinds else {
        // Without a store, an object would lose its kind.
        try refuse("a key, since an import alone saves targets of several kinds", &scanner, depth)
        return nil
      }
      try kinds.checkModels()
      if let kind = kinds.table.kind(at: scanner) {
        return try readKind(kinds.kinds[kind], kind, &scanner, depth, name, in: nested)
      }
    }
    // Of a target that is stored, nothing but the key is needed, where no hook looks at it.
    if isForMissing, let newTargets = reading.newTargets, objects.plan.kind == nil,
      !objects.plan.hasReadingHooks, let values = objects.keyValues(scanner, name: name),
      let key = try? End.Target.ID(keyValues: values),
      try newTargets.isStored(End.Target.self, key)
    {
      try reading.skip(&scanner, depth: depth)
      return .key(key)
    }
    guard let target = try objects.read(&scanner, depth: depth, name: name) else { return nil }
    guard !target.id.isUnassigned(for: End.Target.self) else { return .object(target) }
    if let newTargets = reading.newTargets {
      if isForMissing, try newTargets.isStored(End.Target.self, target.id) {
        return .key(target.id)
      }
      try newTargets.note(End.Target.self, target.id)
    }
    if let unlisted = reading.unlisted, !reading.passesOverTargets {
      try objects.noteUnlisted(of: target, key: target.id.keyValues(), in: unlisted)
    }
    return .object(target)
  }

  /// Reads a target that is an object of a kind, which is saved before the record and linked by its
  /// key.
  private func readKind(
    _ plan: any KindPlan<End.Target>, _ kind: Int, _ scanner: inout JSONScanner, _ depth: Int,
    _ name: String?, in nested: NestedKinds
  ) throws -> LinkElement<End.Target>? {
    let objects = try kinds[kind] ?? plan.nestedReader(reading, nested)
    kinds[kind] = objects
    let isForMissing = if case .missingObjects = self.plan.form { true } else { false }
    let start = scanner.position
    guard let object = try objects.read(&scanner, depth: depth, name: name) else { return nil }
    guard let values = object.key, let key = try? End.Target.ID(keyValues: values) else {
      addFault("the object has no key of \(End.Target.entity.written.name)", start)
      return nil
    }
    if let newTargets = reading.newTargets {
      if isForMissing, try newTargets.isStored(End.Target.self, key) { return .key(key) }
      try newTargets.note(End.Target.self, key)
    }
    if let unlisted = reading.unlisted, !reading.passesOverTargets {
      try object.noteUnlisted(unlisted)
    }
    nested.add(object.save)
    return .key(key)
  }

  /// Reads the key of a target: a scalar, or the members of an object.
  private func readKey(_ scanner: inout JSONScanner, _ depth: Int, isObject: Bool) throws {
    var inner = scanner
    let start = scanner.position
    try reading.skip(&scanner, depth: depth)
    let parts = try keyParts()
    var values: [StoredValue] = []
    for part in parts {
      var target = inner
      if isObject, !ValueReading.enter(part.path[...], &target) {
        return addFault("the object has no key of \(End.Target.entity.written.name)", start)
      }
      if !isObject, parts.count > 1 { break }
      if let value = try part.column.value(&target) { values.append(value) }
    }
    inner.position = start
    guard values.count == parts.count, let key = try? End.Target.ID(keyValues: values) else {
      return addFault(
        "expected a key of \(End.Target.entity.written.name), found \(inner.found)", start)
    }
    elements.append(.key(key))
  }

  /// Reads the attribute of a target: a value, or a member of an object.
  private func readAttribute(
    _ scanner: inout JSONScanner, _ depth: Int, isObject: Bool
  ) throws {
    var inner = scanner
    let start = scanner.position
    try reading.skip(&scanner, depth: depth)
    guard let column = plan.column, let found else { return }
    guard let value = try plan.attribute(&inner, reading.targets) else {
      inner.position = start
      return addFault("expected \(column.expected), found \(inner.found)", start)
    }
    if reading.passesOverTargets {
      isOpen = true
      return
    }
    guard let lookup = reading.lookup else {
      return addFault(
        "a target is found by its attribute in a store alone; import the record", start)
    }
    switch try lookup.target(of: found, value) {
    case .key(let key): elements.append(.key(try End.Target.ID(keyValues: key)))
    case .open: isOpen = true
    case .nowhere: break
    }
  }

  /// The attributes of the target's key, and where an object has them.
  private func keyParts() throws -> [(column: ColumnPlan, path: [PathStep])] {
    let entity = End.Target.entity.description
    let attributes = entity.key.compactMap { entity.position(of: $0) }.map { entity.attributes[$0] }
    let format: FieldFormat = if case .keys(let format) = plan.form { format } else { .plain }
    let columns =
      if case .linkedObjects = plan.form { try target().plan.columns } else { [ColumnPlan]() }
    return attributes.map { attribute in
      let source = columns.first { $0.name == attribute.name }
      return (
        source ?? ColumnPlan(attribute, format: format), source?.source ?? [.name(attribute.name)]
      )
    }
  }

  private func target() throws -> ObjectReader<End.Target> {
    if let objects { return objects }
    let made = ObjectReader(try plan.targetPlan(reading.targets), reading)
    objects = made
    return made
  }
}
