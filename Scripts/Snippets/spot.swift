@Persistable
struct Spot {
  var latitude: Double
  var longitude: Double
}

// SNIPPET
