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
  /// True if rows of the model may be rows of other models too.
  let sharesRows: Bool
  /// The positions of texts that are brought into NFC.
  private let normalized: [Int]
  /// The key paths of ``Live`` that stand for the units, made once.
  let unitPaths: [any KeyPath<Live<Model>, Int> & Sendable]

  /// Creates the shape of a model in a store, whose schema has the inherited parts of subentities.
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
    sharesRows = stored.map { !store.schema.root(of: $0).subentities.isEmpty } ?? true
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
    normalized = attributes.indices.filter {
      columns[attributes[$0].name]?.isNormalized ?? attributes[$0].isNormalized
    }
    let marks = Set(description.lowered().structMarks)
    var units: [Unit] = []
    var unitOfStruct: [String: Int] = [:]
    for position in 0..<declared {
      let attribute = attributes[position]
      if owned.contains(position) { continue }
      let way = attribute.name.structNames + [attribute.name]
      let name = way.first { marks.contains($0) } ?? attribute.name
      if let unit = unitOfStruct[name] {
        let known = units[unit]
        units[unit] = Unit(
          name: name, positions: known.positions + [position], end: nil, isKey: known.isKey)
      } else {
        if marks.contains(name) { unitOfStruct[name] = units.count }
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
  func row(of model: Model) -> SessionRow {
    do {
      return row(of: try BufferedRow(encoding: model).values)
    } catch {
      return SessionRow(values: Array(repeating: .null, count: names.count), isComplete: false)
    }
  }

  /// The row with the values of a model's attributes.
  func row(of attributes: [StoredValue]) -> SessionRow {
    var values = attributes
    for position in normalized { values[position] = values[position].normalizedText }
    return SessionRow(values: values, isComplete: true)
  }

  /// Returns whether a change of some units may change the key, which links may be part of.
  func mayChangeKey(_ numbers: [Int]) -> Bool {
    numbers.contains { units[$0].isKey || units[$0].end != nil }
  }

  /// The values of a model's key.
  func key(of model: Model) -> [StoredValue] { (try? model.id.keyValues()) ?? [] }

  /// Returns whether a row that was read is hidden by a soft delete.
  func isHidden(_ model: Model) -> Bool {
    guard let deletedAt else { return false }
    return row(of: model).values[deletedAt] != .null
  }

  // MARK: - Comparing

  /// The numbers of the units in which two models differ.
  func difference(_ a: Model, _ b: Model) -> [Int] { difference(a, row(of: a), b, row(of: b)) }

  /// The numbers of the units in which two models differ, whose rows are known.
  func difference(
    _ a: Model, _ first: SessionRow, _ b: Model, _ second: SessionRow
  ) -> [Int] {
    var numbers: [Int] = []
    for number in units.indices {
      let differs =
        if let end = units[number].end {
          differs(end, a, b)
        } else {
          // A value that cannot be stored may be in any attribute.
          first.isComplete != second.isComplete
            || units[number].positions.contains {
              !first.values[$0].isIdentical(to: second.values[$0])
            }
        }
      if differs { numbers.append(number) }
    }
    return numbers
  }

  /// The numbers by which observers know the managed and derived attributes in which two rows differ.
  func ownedDifference(_ first: SessionRow, _ second: SessionRow) -> [Int] {
    owned.filter { !first.values[$0].isIdentical(to: second.values[$0]) }
      .map { units.count + $0 }
  }

  /// Returns whether the relationships of two models have the same targets and changes.
  func hasSameLinks(_ a: Model, _ b: Model) -> Bool { ends.allSatisfy { !differs($0, a, b) } }

  private func differs<End: RelationshipEnd>(
    _ end: End, _ a: End.Model, _ b: End.Model
  ) -> Bool {
    let first = SessionLinks(end, of: a)
    return first != SessionLinks(end, of: b)
  }

  /// The numbers of the units that a key path reads, for observers; nil for a property that is no
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
}

/// The values of a model's row as a session compares them.
struct SessionRow: Sendable {
  /// The values by position; all of them null if one cannot be stored.
  let values: [StoredValue]
  /// True if all values can be stored.
  let isComplete: Bool

  /// Returns whether two rows can be stored and are equal to the bit.
  func isSame(as other: SessionRow) -> Bool {
    isComplete && other.isComplete
      && zip(values, other.values).allSatisfy { $0.isIdentical(to: $1) }
  }
}
