internal import ORM

/// The objects of a record that are nested in it and are of kinds with models of their own.
///
/// They are saved before the record, one after another, and linked by their keys.
final class NestedKinds {
  /// The options of the import.
  let settings: ImportSettings
  /// True if rows are found by the primary key.
  let matchesKey: Bool
  private var saves: [(WriteTransaction) throws -> Void] = []

  init(_ settings: ImportSettings, matchesKey: Bool) {
    self.settings = settings
    self.matchesKey = matchesKey
  }

  var isEmpty: Bool { saves.isEmpty }

  /// Begins a record.
  func begin() {
    if !saves.isEmpty { saves.removeAll() }
  }

  func add(_ save: @escaping (WriteTransaction) throws -> Void) { saves.append(save) }

  /// Saves the objects.
  func save(_ transaction: WriteTransaction) throws {
    for save in saves { try save(transaction) }
  }
}

/// An object of a kind that is nested in a record.
struct NestedKindObject {
  /// The key of the object; nil for one that the store gives.
  let key: [StoredValue]?
  /// Saves the object, and its relationships of the entities above.
  let save: (WriteTransaction) throws -> Void
  /// Notes the stored members that its lists lack, if they are to be deleted.
  let noteUnlisted: (UnlistedMembers) throws -> Void
}

/// A reader of nested objects of one kind.
protocol NestedKindReader: AnyObject {
  /// Reads an object; nil for one that is left out or has faults.
  func read(_ scanner: inout JSONScanner, depth: Int, name: String?) throws -> NestedKindObject?
}

/// A reader of nested objects of a subentity.
private final class SubentityObjectReader<Kind: PrimaryKeyed>: NestedKindReader {
  private let objects: ObjectReader<Kind>
  /// The relationships of the entities above.
  private let inherited: [any InheritedSink]
  private let nested: NestedKinds

  init(_ objects: ObjectReader<Kind>, _ inherited: [any InheritedSink], _ nested: NestedKinds) {
    self.objects = objects
    self.inherited = inherited
    self.nested = nested
  }

  func read(_ scanner: inout JSONScanner, depth: Int, name: String?) throws -> NestedKindObject? {
    let start = scanner
    guard let model = try objects.read(&scanner, depth: depth, name: name) else { return nil }
    let values = try BufferedRow(encoding: model).values
    for links in inherited where try !links.read(start, depth: depth, name: name, values) {
      return nil
    }
    let saves = inherited.map { $0.saving() }
    // With a match, nested objects that are stored keep their values.
    let merge = nested.matchesKey ? nested.settings.merge : .insertOnly
    let policy = ModelSink<Kind>.policy(merge, as: Kind.self)
    let key = model.id.isUnassigned(for: Kind.self) ? nil : try model.id.keyValues()
    func save(_ transaction: WriteTransaction) throws {
      let isStored =
        try merge == .insertOnly && transaction.find(Kind.self, model.id) != nil
      let counts = try transaction.save([model], merge: policy).counts
      transaction.count(counts, of: Kind.entity.written.name)
      if isStored { return }
      for save in saves { try save(transaction) }
    }
    return NestedKindObject(key: key, save: save) { [objects, inherited] unlisted in
      guard let key else { return }
      try objects.noteUnlisted(of: model, key: key, in: unlisted)
      for links in inherited { try links.noteUnlisted(key: key, in: unlisted) }
    }
  }
}

extension WriteTransaction {
  /// Adds the outcome of saving nested objects to the counts of the record's.
  func count(_ counts: SaveCounts, of entity: String) {
    var related = relatedCounts?[entity] ?? SaveCounts()
    related += counts
    relatedCounts?[entity] = related
  }
}

extension KindPlan {
  /// Makes a reader of nested objects of the kind.
  func nestedReader(_ reading: JSONReading, _ nested: NestedKinds) throws -> any NestedKindReader {
    let objects = ObjectReader(try mapping.plan, reading)
    let links = try inherited.map { try sink(of: $0, reading, nested) }
    return SubentityObjectReader(objects, links, nested)
  }

  private func sink<Links: InheritedPlan>(
    of links: Links, _ reading: JSONReading, _ nested: NestedKinds
  ) throws -> any InheritedSink {
    var options = ImportOptions<Links.Owner>()
    options.mapping = links.mapping
    options.settings = nested.settings
    return try ModelSink(
      inherited: options, columns: links.columns, shared: reading, isNested: true)
  }

  /// Adds the entities whose objects are saved with those of the kind.
  func addSaved(to saved: inout SavedEntities, _ shared: SharedTargets) {
    saved.names.insert(Kind.entity.written.name)
    guard let plan = try? mapping.plan, saved.plans.insert(ObjectIdentifier(plan)).inserted else {
      return
    }
    for link in plan.links { link.addSaved(to: &saved, shared) }
    for links in inherited { links.addSaved(to: &saved, shared) }
  }
}

extension InheritedPlan {
  fileprivate func addSaved(to saved: inout SavedEntities, _ shared: SharedTargets) {
    for link in (try? mapping.plan)?.links ?? [] { link.addSaved(to: &saved, shared) }
  }
}
