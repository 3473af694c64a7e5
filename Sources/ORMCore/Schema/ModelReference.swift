/// The Swift type whose objects an entity's rows are, where the program that opened the store gave
/// it.
///
/// It is no part of what an entity is: all references are equal, and none is written down.
package struct ModelReference: Hashable, Sendable {
  /// The type; nil for an entity that is known by its description alone.
  package let type: (any Persistable.Type)?
  /// Whether its objects take notice of being read.
  package let hasLoadHook: Bool

  /// A reference.
  package init(_ type: (any Persistable.Type)? = nil) {
    self.type = type
    hasLoadHook = type is any LoadHook.Type
  }

  package static func == (_: ModelReference, _: ModelReference) -> Bool { true }
  package func hash(into hasher: inout Hasher) {}
}
