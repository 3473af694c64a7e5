/// The objects of one model in a graph: each once and bare, at a position of its own.
package struct FetchedObjects<Model: PrimaryKeyed>: Sendable {
  /// Where the object of a key stands.
  package private(set) var positions: KeyPositions<Model.ID>
  /// The objects by position, their links without a graph.
  package private(set) var all: [Model] = []

  package init() { positions = KeyPositions(of: Model.self) }

  /// Takes an object, unless its key is there already; gives the position of the one that is kept.
  package mutating func insert(_ object: Model) -> Int {
    let position = positions.insert(object.id, at: all.count)
    if position == all.count { all.append(object) }
    return position
  }

  /// Remembers that a key was looked for and not found.
  package mutating func noteMissing(_ id: Model.ID) { positions.noteMissing(id) }

  /// Changes the object at a position, but for its key.
  package mutating func change(at position: Int, _ body: (inout Model) -> Void) {
    body(&all[position])
  }

  /// Makes room for so many more objects.
  package mutating func reserve(_ count: Int) {
    all.reserveCapacity(all.count + count)
    positions.reserve(all.count + count)
  }
}

/// The links of one relationship in a graph.
package protocol FetchedLinks<Model>: Sendable {
  /// The model that declares the relationship.
  associatedtype Model
  /// The relationship's name.
  var relationship: String { get }
  /// Attaches the link of the object at a position, as far as it was read.
  func attach(_ graph: FetchGraph, position: Int, to model: inout Model)
}

/// The links of one relationship with its Swift types.
package struct EndLinks<End: RelationshipEnd>: FetchedLinks {
  package let end: End
  /// The targets' keys of each owner by its position, in order; nil where they were not read.
  ///
  /// Empty where the owners hold the key themselves.
  package private(set) var targets: [[End.Target.ID]?] = []

  package init(_ end: End) { self.end = end }

  package var relationship: String { end.declaration.name }

  /// The keys of an owner's targets; nil where they were not read.
  package func targets(at position: Int) -> [End.Target.ID]? {
    position < targets.count ? targets[position] : nil
  }

  /// Notes the targets of an owner.
  package mutating func note(_ ids: [End.Target.ID], at position: Int) {
    while targets.count <= position { targets.append(nil) }
    targets[position] = ids
  }

  /// Notes further targets of an owner.
  package mutating func append(_ ids: [End.Target.ID], at position: Int) {
    guard let known = targets(at: position), !known.isEmpty else {
      return note(ids, at: position)
    }
    targets[position] = known + ids
  }

  package func attach(_ graph: FetchGraph, position: Int, to model: inout End.Model) {
    end.attach(graph, targets: targets(at: position), to: &model)
  }
}

/// The part of a graph that concerns one model.
package final class FetchTable<Model: PrimaryKeyed>: Sendable {
  package let objects: FetchedObjects<Model>
  /// The relationships whose links are attached to what is handed out.
  package let links: [any FetchedLinks<Model>]

  package init(objects: FetchedObjects<Model>, links: [any FetchedLinks<Model>]) {
    self.objects = objects
    self.links = links
  }

  /// The object at a position, its links attached.
  package func object(at position: Int, in graph: FetchGraph) -> Model {
    var object = objects.all[position]
    for links in links { links.attach(graph, position: position, to: &object) }
    return object
  }
}
