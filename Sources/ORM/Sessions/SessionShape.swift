internal import ORMCore

/// The parts of a model that a session compares, merges and writes, each by itself.
final class SessionShape<Model: PrimaryKeyed>: Sendable {
  /// An attribute, an embedded struct that may be nil, or a relationship.
  struct Unit: Sendable {
    let name: String
    /// The positions in a row; those of a to-one's key, and none for links that the row lacks.
    let positions: [Int]
    let end: (any RelationshipEnd<Model>)?
    let isKey: Bool
  }

  let entity: String
  /// The names of a row's values.
  let names: [String]
  /// The units that a program sets: managed and derived attributes are not among them.
  let units: [Unit]
  let ends: [any RelationshipEnd<Model>]
  /// The positions of the key in a row.
  let key: [Int]
  /// The position of the version in a row; nil if the entity has none.
  let version: Int?
  /// The position of the time of a soft delete in a row; nil if the entity has none.
  let deletedAt: Int?
  /// The positions of managed and derived attributes in a row.
  let owned: [Int]
  /// The source of keys of objects without one.
  let keySource: StoredEntity.KeySource
  /// True if the store makes integers for objects without a key.
  var generatesKeys: Bool { keySource == .generated }
  private var makesUUIDs: Bool { keySource == .uuidV4 || keySource == .uuidV7 }
  private let isNormalized: [Bool]
  /// The key paths of ``Live`` that stand for the units, made once.
  let unitPaths: [any KeyPath<Live<Model>, Int> & Sendable]

  /// Creates the shape of a model in a store, whose schema knows what subentities inherit.
  init(in store: any Store) {
    let description = Model.entity.description
    let declared = Model.entity.declared.attributes.count
    let attributes = description.attributes
    let names = attributes.map(\.name)
    entity = description.name
    self.names = names
    ends = Model.entity.relationships
    key = description.key.compactMap { description.position(of: $0) }
    let stored = try? store.plan(of: Model.self).entity
    let known = (stored?.columns ?? []).map { ($0.attribute, $0) }
    let columns = Dictionary(known, uniquingKeysWith: { first, _ in first })
    let roles = attributes.map { columns[$0.name]?.role ?? $0.role }
    version = roles.firstIndex(of: .version)
    deletedAt = roles.firstIndex(of: .deletedAt)
    let owned = attributes.indices.filter {
      roles[$0] != nil || columns[attributes[$0].name]?.derived != nil
    }
    self.owned = owned
    keySource = stored?.keySource ?? description.keySource
    isNormalized = attributes.map { columns[$0.name]?.isNormalized ?? $0.isNormalized }
    let marks = Set(description.lowered().structMarks)
    var units: [Unit] = []
    var placeOfStruct: [String: Int] = [:]
    for position in 0..<declared {
      let attribute = attributes[position]
      if owned.contains(position) { continue }
      let way = attribute.name.structNames + [attribute.name]
      let name = way.first { marks.contains($0) } ?? attribute.name
      if let place = placeOfStruct[name] {
        let known = units[place]
        units[place] = Unit(
          name: name, positions: known.positions + [position], end: nil, isKey: known.isKey)
      } else {
        if marks.contains(name) { placeOfStruct[name] = units.count }
        units.append(
          Unit(name: name, positions: [position], end: nil, isKey: key.contains(position)))
      }
    }
    for end in ends {
      units.append(
        Unit(
          name: end.declaration.name, positions: Self.keyPositions(of: end), end: end,
          isKey: false))
    }
    self.units = units
    unitPaths = Live<Model>.unitPaths(units.count + names.count)
  }

  private static func keyPositions<End: RelationshipEnd>(of end: End) -> [Int] {
    Model.entity.resolved.keyPositions(of: end)
  }

  // MARK: - Rows

  /// The values of a model's row, as far as they can be stored; null for the others.
  func row(of model: Model) -> (values: [StoredValue], isComplete: Bool) {
    do {
      var values = try BufferedRow(encoding: model).values
      for (position, value) in values.enumerated() where isNormalized[position] {
        values[position] = value.normalizedText
      }
      return (values, true)
    } catch {
      return (Array(repeating: .null, count: names.count), false)
    }
  }

  /// The values of a model's key.
  func key(of model: Model) -> [StoredValue] { (try? model.id.keyValues()) ?? [] }

  /// True if a key stands for "not given yet".
  func isUnassigned(_ key: [StoredValue]) -> Bool {
    generatesKeys ? key == [.int(0)] : makesUUIDs && key == [.uuid(.unassigned)]
  }

  /// Returns whether a row that was read is hidden by a soft delete.
  func isHidden(_ model: Model) -> Bool {
    guard let deletedAt else { return false }
    return row(of: model).values[deletedAt] != .null
  }

  // MARK: - Comparing

  /// The numbers of the units in which two models differ.
  func difference(_ a: Model, _ b: Model) -> [Int] { difference(a, b, row(of: a), row(of: b)) }

  /// The numbers of the units in which two models differ, and of their managed and derived
  /// attributes, as observers know them.
  func observedDifference(_ a: Model, _ b: Model) -> (units: [Int], owned: [Int]) {
    let first = row(of: a)
    let second = row(of: b)
    let owned = owned.filter { !first.values[$0].isIdentical(to: second.values[$0]) }
    return (difference(a, b, first, second), owned.map { units.count + $0 })
  }

  private func difference(
    _ a: Model, _ b: Model, _ first: (values: [StoredValue], isComplete: Bool),
    _ second: (values: [StoredValue], isComplete: Bool)
  ) -> [Int] {
    let (first, isFirst) = first
    let (second, isSecond) = second
    return units.indices.filter { number in
      if let end = units[number].end { return differs(end, a, b) }
      // A value that cannot be stored may be in any attribute.
      if isFirst != isSecond { return true }
      return units[number].positions.contains { !first[$0].isIdentical(to: second[$0]) }
    }
  }

  /// Returns whether the relationships of two models have the same targets and changes.
  func hasSameLinks(_ a: Model, _ b: Model) -> Bool { ends.allSatisfy { !differs($0, a, b) } }

  private func differs<End: RelationshipEnd>(
    _ end: End, _ a: End.Model, _ b: End.Model
  ) -> Bool {
    let first = SessionLinks(end, of: a)
    return first != SessionLinks(end, of: b)
  }

  /// The numbers by which observers know what a key path reads; nil for a property that is no
  /// attribute, struct or relationship.
  func observedNumbers(at path: any AnyKeyPath & Sendable) -> [Int]? {
    if let position = Model.entity.position(of: path) { return observedNumbers(of: [position]) }
    if let embedded = Model.embeddedStruct(at: path) {
      return observedNumbers(of: Array(embedded.columns))
    }
    guard let name = Model.entity.relationship(at: path)?.declaration.name else { return nil }
    return units.indices.filter { units[$0].end != nil && units[$0].name == name }
  }

  /// The numbers by which observers know the primary key.
  var observedKey: [Int] { observedNumbers(of: key) }

  private func observedNumbers(of positions: [Int]) -> [Int] {
    let known = units.indices.filter { !units[$0].positions.allSatisfy { !positions.contains($0) } }
    return known + owned.filter { positions.contains($0) }.map { units.count + $0 }
  }

  // MARK: - Merging

  /// Returns a model with some units of another.
  ///
  /// - Throws: what the model's row initializer throws.
  func model(_ target: Model, taking numbers: [Int], from source: Model) throws -> Model {
    if numbers.isEmpty { return target }
    var row = try BufferedRow(encoding: target).values
    let others = try BufferedRow(encoding: source).values
    for number in numbers where units[number].end == nil {
      for position in units[number].positions { row[position] = others[position] }
    }
    var models = [try Model(row: BufferedRow(row))]
    let taken = Set(numbers.compactMap { units[$0].end?.declaration.name })
    for end in ends {
      end.copy(
        from: [taken.contains(end.declaration.name) ? source : target], to: &models,
        keepsSet: false)
    }
    return models[0]
  }

  /// Returns a model with values of a row in the place of its own.
  func model(_ target: Model, setting values: [Int: StoredValue]) throws -> Model {
    if values.isEmpty { return target }
    var row = try BufferedRow(encoding: target).values
    for (position, value) in values { row[position] = value }
    var models = [try Model(row: BufferedRow(row))]
    for end in ends { end.copy(from: [target], to: &models, keepsSet: false) }
    return models[0]
  }

  /// Returns a model with the managed and derived attributes of another.
  func model(_ target: Model, keepingOwnedOf source: Model) -> Model {
    if owned.isEmpty { return target }
    let old = row(of: source)
    let new = row(of: target)
    guard old.isComplete, new.isComplete else { return target }
    let differing = owned.filter { !old.values[$0].isIdentical(to: new.values[$0]) }
    let values = Dictionary(uniqueKeysWithValues: differing.map { ($0, old.values[$0]) })
    return (try? model(target, setting: values)) ?? target
  }

  /// Gives a row that was read the links of an earlier reading, as far as it says nothing else.
  func keepLinks(of old: Model, in new: inout Model) {
    var models = [new]
    for end in ends where isKept(end, old, new) {
      end.copy(from: [old], to: &models, keepsSet: false)
    }
    new = models[0]
  }

  private func isKept<End: RelationshipEnd>(_ end: End, _ old: End.Model, _ new: End.Model) -> Bool
  {
    if end.change(of: old) != nil || end.steps(of: old) != nil { return false }
    if end.isUnknown(of: new) { return !end.isUnknown(of: old) }
    return end.graph(of: new) == nil && SessionLinks(end, of: old) == SessionLinks(end, of: new)
  }

  /// Returns another object of a class model, or the model itself.
  func copy(_ model: Model) -> Model {
    Model.isClass ? (try? model.duplicate()) ?? model : model
  }
}

/// The targets of a relationship, or the changes of it where they are not known.
struct SessionLinks: Equatable {
  enum Step: Equatable {
    case append(GroupKey, Int?)
    case insert(GroupKey, Int)
    case remove(GroupKey)
  }

  /// The keys of the targets; nil if they are not known.
  private(set) var keys: [GroupKey]?
  private(set) var steps: [Step] = []

  /// No links.
  init() {}

  init<End: RelationshipEnd>(_ end: End, of model: End.Model) {
    if let ids = end.ids(of: model) {
      let keys = ids.map { Self.key($0) }
      self.keys =
        end.declaration.isOrdered || keys.count < 2 ? keys : keys.sorted { Self.isBefore($0, $1) }
    } else {
      steps = (end.steps(of: model) ?? []).map { step in
        switch step {
        case .append(let element, let index): .append(Self.key(element.id), index)
        case .insert(let element, let index): .insert(Self.key(element.id), index)
        case .remove(let id): .remove(Self.key(id))
        }
      }
    }
  }

  static func key(_ id: some PrimaryKey) -> GroupKey {
    GroupKey((try? id.keyValues()) ?? [])
  }

  private static func isBefore(_ a: GroupKey, _ b: GroupKey) -> Bool {
    RowChange.order(a.values, b.values) < 0
  }
}
