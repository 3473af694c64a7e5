internal import ORMStorage

/// A graph in the making: objects and links are noted, then it is frozen.
package final class GraphBuilder {
  private var tables: [ObjectIdentifier: any FrozenTable] = [:]

  package init() {}

  /// The part that concerns a model; one that was not asked for before is empty.
  package func table<Model: PrimaryKeyed>(of model: Model.Type) -> GraphTable<Model> {
    if let table = tables[ObjectIdentifier(model)] as? GraphTable<Model> { return table }
    let table = GraphTable<Model>()
    tables[ObjectIdentifier(model)] = table
    return table
  }

  /// The graph of the objects and links noted so far.
  ///
  /// - Throws: the errors of a class model's coding.
  package func frozen() throws -> FetchGraph { try frozen(roots: []) { _ in false } }

  /// The graph of the objects and links noted so far, and the objects at positions with their links attached.
  ///
  /// - Throws: the errors of a class model's coding.
  package func frozen<Model: PrimaryKeyed>(
    givingOut positions: [Int], of model: Model.Type
  ) throws -> [Model] {
    let graph = try frozen(roots: Model.isClass ? Set(positions) : []) {
      $0 == ObjectIdentifier(model)
    }
    return graph.table(model)?.objects(at: positions, in: graph) ?? []
  }

  private func frozen(
    roots: Set<Int>, _ areOf: (ObjectIdentifier) -> Bool
  ) throws -> FetchGraph {
    let frozen: [FetchGraph.Table] = try tables.map { ($0.key, try $0.value.frozen()) }
    guard tables.values.contains(where: \.isShared) else { return FetchGraph(tables: frozen) }
    let owner = InstanceOwner()
    let graph = FetchGraph(tables: frozen, owner: owner)
    for (model, table) in tables {
      table.tie(to: graph, in: owner, roots: areOf(model) ? roots : [])
    }
    return graph
  }
}

/// The objects and links of one model in a graph in the making.
///
/// A graph is made by one thread, and nothing that works on a table calls back into it: so access to
/// its parts is not checked while the program runs.
@usableFromInline
package final class GraphTable<Model: PrimaryKeyed> {
  @exclusivity(unchecked) @usableFromInline package var objects = FetchedObjects<Model>()
  private var links: [any RelationshipLinks<Model>] = []

  fileprivate init() {}

  /// The links of a relationship; from now on they are attached to the objects that the graph returns.
  package func links<End: RelationshipEnd>(of end: End) -> GraphLinks<End.Target>
  where End.Model == Model {
    let name = end.declaration.name
    for known in links where known.name == name {
      if let known = known as? EndLinks<End> { return known.links }
    }
    let new = EndLinks(end)
    links.append(new)
    return new.links
  }
}

/// The targets' keys of each owner of one relationship, in a graph in the making.
@usableFromInline
package final class GraphLinks<Target: PrimaryKeyed> {
  /// The targets by the owner's position; nil where they were not read.
  ///
  /// Empty where the owners hold the key themselves.
  @usableFromInline
  package var targets: [LinkTargets<Target.ID>?] = []

  fileprivate init() {}

  /// The keys of an owner's targets; nil where they were not read.
  @inlinable
  package func targets(at position: Int) -> LinkTargets<Target.ID>? {
    position < targets.count ? targets[position] : nil
  }

  /// Notes the targets of an owner.
  @inlinable
  package func note(_ noted: LinkTargets<Target.ID>, at position: Int) {
    while targets.count <= position { targets.append(nil) }
    targets[position] = noted
  }

  /// Notes further targets of an owner.
  @inlinable
  package func append(_ further: LinkTargets<Target.ID>, at position: Int) {
    guard let known = targets(at: position), !known.ids.isEmpty else {
      return note(further, at: position)
    }
    targets[position] = LinkTargets(known.ids + further.ids)
  }
}

/// The part of a graph in the making that concerns one model, whichever it is.
private protocol FrozenTable {
  /// True if the model is a class.
  var isShared: Bool { get }
  func frozen() throws -> any AnyObject & Sendable
  /// Ties the links of a class model's objects, which from now on are instances of the graph: those
  /// at the positions of roots to the graph, others to the inner one, and has an owner keep these alive.
  func tie(to graph: FetchGraph, in owner: InstanceOwner, roots: Set<Int>)
}

extension GraphTable: FrozenTable {
  fileprivate var isShared: Bool { Model.isClass }

  fileprivate func frozen() throws -> any AnyObject & Sendable {
    let links = links.map { $0.attachment() }
    guard isShared else { return FetchTable(objects: objects, links: links) }
    var detached = objects
    detached.all = try Model.duplicates(of: objects.all)
    return FetchTable(objects: detached, links: links, instances: Instances(objects.all))
  }

  fileprivate func tie(to graph: FetchGraph, in owner: InstanceOwner, roots: Set<Int>) {
    guard isShared else { return }
    for link in links.map({ $0.attachment() }) {
      for position in objects.all.indices {
        let end = roots.contains(position) ? graph : graph.inner ?? graph
        link.one(end, position, &objects.all[position])
      }
    }
    owner.retain(
      objects.all.indices.compactMap { roots.contains($0) ? nil : objects.all[$0] })
  }
}

/// The links of one relationship while the graph is built, for any type of target.
private protocol RelationshipLinks<Model> {
  associatedtype Model
  var name: String { get }
  func attachment() -> LinkAttachment<Model>
}

/// The links of one relationship, with its end, which knows the property of the owners that holds them.
private struct EndLinks<End: RelationshipEnd>: RelationshipLinks {
  let end: End
  let links = GraphLinks<End.Target>()

  init(_ end: End) { self.end = end }

  var name: String { end.declaration.name }

  func attachment() -> LinkAttachment<End.Model> { end.attachment(of: links.targets) }
}
